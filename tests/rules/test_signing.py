"""Counting of the people of an act, and pairs that cannot sign together."""

import pytest

from jackpot.rules.signing import People, Proof, Signed

ANN, BEN = Signed(3, ("floor",)), Signed(4, ("floor",))


def signed(*people: Signed) -> People:
    return People(proof=Proof(people, 5, b"h"))


@pytest.mark.parametrize(
    ("people", "count"),
    [
        (People(), 0),
        (People(("Ann", " ann")), 1),
        (People(("Ann", "Ben")), 2),
        (signed(ANN), 1),
        (signed(ANN, BEN), 2),
        (signed(ANN, Signed(3, ("cage",))), 1),
        (signed(ANN, Signed(4, ("floor",), "token")), 1),
        (signed(Signed(3, ("floor",), "token"), BEN), 2),
        (signed(ANN, Signed(4, ("floor",), "secret", 3)), 1),
        (signed(Signed(3, ("floor",), "secret", 4), BEN), 1),
        (signed(Signed(3, ("floor",), "secret", 1), Signed(4, ("floor",), "secret", 1)), 1),
        (signed(Signed(3, ("floor",), "secret", 1, 2), Signed(4, ("floor",), "secret", 1)), 2),
        (signed(Signed(3, ("floor",), "secret", 1), Signed(4, ("floor",), "secret", 2)), 2),
        (People(("Ann",), Proof((ANN,))), 1),
    ],
)
def test_who_counts_as_two(people: People, count: int) -> None:
    """A10: different people; the second by their own secret, neither with a code from the other.

    Nor both with codes from one, if nobody vouched for either.
    """
    assert people.count() == count
    assert bool(people.fault()) == (count == 1 and len(people.signed) == 2)


def test_one_after_another() -> None:
    """T10: those who stand for it together are named in their order, as of when the last one comes."""
    both = signed(ANN).then(People(proof=Proof((BEN,), 6, b"i")))
    assert both == People(proof=Proof((ANN, BEN), 6, b"i"))
    assert both.said() == ("person 3", "person 4")
