"""The section of signed heads is checked whole (S8)."""

from pathlib import Path

import pytest
import trustme

from jackpot.config import load
from tests.config.floor import WriteFloor, mistakes
from tests.notify.heads import site_key

WHOLE = """
[heads]
key = "site"
known = ["old.pub"]
file = "heads.jsonl"
syslog = "/dev/log"
webhook = "https://audit.example.com:8443/heads"
webhook_ca = "ca.pem"
"""


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """The folder of the configuration, with all that it names."""
    site_key(tmp_path, "site")
    site_key(tmp_path, "old")
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return tmp_path


def test_all_of_it(floor: WriteFloor, keys: Path) -> None:
    """S8: any of three destinations, the key, and the public keys of earlier years."""
    found = load(floor(more=WHOLE)).heads
    assert found is not None
    assert found.key == bytes.fromhex((keys / "site").read_text())
    assert found.known == (site_key(keys, "old").public,)
    assert (found.file, found.syslog) == (keys / "heads.jsonl", Path("/dev/log"))
    assert found.webhook == "https://audit.example.com:8443/heads"
    assert found.webhook_ca == keys / "ca.pem"


def test_none_of_it(floor: WriteFloor) -> None:
    """S8: without the section nothing is signed."""
    assert load(floor()).heads is None


def test_a_signage_machine_has_no_such_key(floor: WriteFloor, keys: Path) -> None:
    """Redis and signage: the same file is read there, without the site's private key."""
    (keys / "site").unlink()
    file = floor(more=WHOLE)
    assert load(file, roles=("sign",)).heads is None
    assert mistakes(file).keys() == {"heads.key"}


@pytest.mark.parametrize(
    ("edit", "path", "words"),
    [
        (('key = "site"\n', ""), "heads.key", "is missing"),
        (('key = "site"', 'key = "none"'), "heads.key", "`jackpot keys site FILE` makes one"),
        (('key = "site"', 'key = "old.pub"'), "heads.key", "does not hold a key"),
        (('"old.pub"', '"none.pub"'), "heads.known[0]", "there is no file"),
        (('"old.pub"', '"site"'), "heads.known[0]", "holds no public key"),
        (("https://", "http://"), "heads.webhook", 'is not "https://..." without a login'),
        (("https://", "https://me:secret@"), "heads.webhook", 'is not "https://..." without a login'),
        (('"ca.pem"', '"site"'), "heads.webhook_ca", "holds no certificate"),
        (('"ca.pem"', '"none.pem"'), "heads.webhook_ca", "there is no file"),
        (("syslog", "sislog"), "heads.sislog", "is not known here"),
    ],
)
def test_a_mistake(floor: WriteFloor, keys: Path, edit: tuple[str, str], path: str, words: str) -> None:
    """S8: one mistake is one sentence at its path, and brings up no other."""
    assert edit[0] in WHOLE
    (keys / "old.pub").chmod(0o600)
    found = mistakes(floor(more=WHOLE.replace(*edit)))
    assert list(found) == [path]
    assert words in found[path]


def test_a_folder_that_is_away(floor: WriteFloor, keys: Path) -> None:
    """S8: another machine's disk may be away when the floor opens: that is a warning, and no mistake."""
    found = load(floor(more=WHOLE.replace("heads.jsonl", "mnt/heads.jsonl")))
    assert [said for said in found.warnings if said.startswith("heads.file: there is no folder")]
    (keys / "mnt").mkdir()
    found = load(floor(more=WHOLE.replace("heads.jsonl", "mnt/heads.jsonl")))
    assert not [said for said in found.warnings if "heads" in said]


def test_heads_that_go_nowhere(floor: WriteFloor, keys: Path) -> None:
    """S8: a key alone sends nothing anywhere; a certificate without a webhook is of nobody."""
    found = mistakes(floor(more='[heads]\nkey = "site"\nwebhook_ca = "ca.pem"\n'))
    assert found.keys() == {"heads", "heads.webhook_ca"}
    assert "give one or more of file, syslog, webhook" in found["heads"]
