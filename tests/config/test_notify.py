"""The section of the notifier is checked whole."""

from pathlib import Path

import pytest
import trustme

from jackpot.config import load
from tests.config.floor import WriteFloor, mistakes

WHOLE = """
[notify]
url = "https://pager.example.com/jackpot"
secret = "notify"
ca = "ca.pem"
events = ["hit", "alarm"]
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    """All that the section names."""
    (tmp_path / "notify").touch(mode=0o600)
    (tmp_path / "notify").write_text("ab" * 32)
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))


def test_all_of_it(floor: WriteFloor, tmp_path: Path) -> None:
    """Notifier: where to, the secret that signs, and what of; everything where it does not say."""
    found = load(floor(more=WHOLE)).notify
    assert found is not None
    assert (found.url, found.secret) == ("https://pager.example.com/jackpot", b"\xab" * 32)
    assert (found.events, found.ca) == (("hit", "alarm"), tmp_path / "ca.pem")
    short = "".join(WHOLE.splitlines(keepends=True)[:4])
    found = load(floor(more=short)).notify
    assert found is not None
    assert (found.events, found.ca) == (("hit", "alarm", "request"), None)


def test_none_of_it(floor: WriteFloor, tmp_path: Path) -> None:
    """Without the section nobody is told; a signage machine has no such secret."""
    assert load(floor()).notify is None
    (tmp_path / "notify").unlink()
    assert load(floor(more=WHOLE), roles=("sign",)).notify is None


@pytest.mark.parametrize(
    ("edit", "path", "words"),
    [
        (('secret = "notify"\n', ""), "notify.secret", "is missing"),
        (
            ('secret = "notify"', 'secret = "none"'),
            "notify.secret",
            "`openssl rand -hex 32`",
        ),
        (('secret = "notify"', 'secret = "ca.pem"'), "notify.secret", "does not hold a key"),
        (("https://", "http://"), "notify.url", 'is not "https://..." without a login'),
        (('"ca.pem"', '"notify"'), "notify.ca", "holds no certificate"),
        (('"alarm"]', '"alarms"]'), "notify.events[1]", "alarm"),
        (('"alarm"]', '"hit"]'), "notify.events", "each once"),
    ],
)
def test_a_mistake(floor: WriteFloor, tmp_path: Path, edit: tuple[str, str], path: str, words: str) -> None:
    """One mistake is one sentence at its path."""
    (tmp_path / "ca.pem").chmod(0o600)
    assert edit[0] in WHOLE
    found = mistakes(floor(more=WHOLE.replace(*edit)))
    assert list(found) == [path]
    assert words in found[path]
