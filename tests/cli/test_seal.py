"""How do old rows leave a ledger from a shell, and what is refused in a sentence?"""

from contextlib import closing
from pathlib import Path

from jackpot.config import load
from jackpot.ledger.sqlite import SqliteLedger
from tests.ledger.season import Season
from tests.ledger.test_verify import spoil
from tests.server.bed import configure, on_loop
from tests.server.test_admin import jackpot

BOTH = ("--by", "Ann", "--and-by", "Bo", "--reason", "books of then", "--older-than", "1")


@on_loop
async def test_old_rows_leave_by_two_people(tmp_path: Path) -> None:
    """S8: two names, a reason, an archive; then verify proves nothing of old rows without that."""
    config = configure(tmp_path)
    path = Path(load(config.path).ledger.url.removeprefix("sqlite:///"))
    season, archive = Season(), tmp_path / "archive.db"
    with closing(SqliteLedger(path)) as ledger:
        season.write(ledger)
        seal = ("ledger", "seal", str(archive), "--config", str(config.path))
        code, out, _ = await jackpot(*seal, "--older-than", "1", "--preview")
        cut = season.snapshots[2].seq
        assert (code, f"up to row {cut} would leave; no later ones: the cycle of three meter" in out) == (
            0,
            True,
        )
        code, _, error = await jackpot(*seal, *BOTH)
        assert (code, "is in use by process" in error, archive.exists()) == (1, True, False)
    for words, said in (
        ((*BOTH[:2], *BOTH[4:]), "it takes two people"),
        ((*BOTH[:3], "Ann", *BOTH[4:]), "it takes two people"),
        ((*BOTH[:4], "--reason", " "), "--reason: say why"),
    ):
        code, _, error = await jackpot(*seal, *words)
        assert (code, said in error, archive.exists()) == (1, True, False)
    code, out, _ = await jackpot(*seal, *BOTH[:-1], "30000")
    assert (code, "nothing to archive" in out) == (0, True)
    code, out, error = await jackpot(*seal, *BOTH)
    assert (code, error, f"up to row {cut} left" in out, "keep a second copy" in out) == (0, "", True, True)
    verify = ("verify", "--ledger", f"sqlite:///{path}")
    code, out, error = await jackpot(*verify)
    assert (code, "main:" in out) == (1, False)
    assert f"main: rows 1 to {cut}: old frames are archived" in error
    assert "give --archive FILE" in error
    code, out, _ = await jackpot(*verify, "--archive", str(archive))
    assert (code, f"rows 1 to {cut} are proved by {archive}" in out) == (0, True)
    spoil(archive, "UPDATE journal SET at = at + 1 WHERE seq = 7")
    code, _, error = await jackpot(*verify, "--archive", str(archive))
    assert (code, "archive: main: row 7 was changed" in error) == (1, True)
