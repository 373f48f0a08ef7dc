"""Certificates are checked before anybody connects."""

from pathlib import Path

from jackpot.config.certificates import ending, ends_ms, self_signed, unfit

NOW_MS = 1_800_000_000_000
DAY_MS = 86_400_000


def test_its_end_is_told_in_time(tmp_path: Path) -> None:
    """README, TLS: a month before, and once it has ended."""
    cert = tmp_path / "c.pem"
    cert.write_text(self_signed(["floor.example", "::1"], 90, NOW_MS).cert)
    assert ends_ms(cert) == NOW_MS + 90 * DAY_MS
    assert ending(cert, NOW_MS) is None
    assert "ends on 2027-04-15" in (ending(cert, NOW_MS + 60 * DAY_MS) or "")
    assert "ended on 2027-04-15" in (ending(cert, NOW_MS + 90 * DAY_MS) or "")


def test_a_key_of_another_certificate_is_named(tmp_path: Path) -> None:
    """README, TLS: a mistake of the configuration, and not of the first connection."""
    cert, key, other = (tmp_path / name for name in ("c.pem", "c.key", "o.key"))
    made = self_signed(["a"], 1, NOW_MS)
    cert.write_text(made.cert)
    key.write_text(made.key)
    other.write_text(self_signed(["a"], 1, NOW_MS).key)
    assert unfit(cert, key) is None
    assert "are no certificate and its key" in (unfit(cert, other) or "")
    assert "are no certificate and its key" in (unfit(key, key) or "")
