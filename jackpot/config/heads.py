"""The section of signed heads: their sinks and their key (S8)."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from jackpot.config.keys import read_key, read_public
from jackpot.config.settings import Heads
from jackpot.config.source import ConfigSource

DESTINATIONS: Final = ("file", "syslog", "webhook")
HOW_KEYS_ARE_MADE: Final = ": `jackpot keys site FILE` makes one"


def read_heads(source: ConfigSource, roles: Collection[str]) -> Heads | None:
    """Reads the section, None where there is none. roles: only a machine with table keys signs heads."""
    given = source.section("heads")
    if not given or "table" not in roles:
        return None
    if not any(_is_set(source, given, name) for name in DESTINATIONS):
        source.wrong("heads", f"they go nowhere: give one or more of {', '.join(DESTINATIONS)}")
    key = _key(source, given)
    listed = enumerate(given.get("known", ()))
    known = [_public(source, f"heads.known[{number}]", name) for number, name in listed]
    file = None if "file" not in given else source.path.parent / given["file"]
    if file is not None and not file.parent.is_dir():
        # It may be another machine's disk, and the money does not wait for it.
        source.warn(f"heads.file: there is no folder {file.parent}: heads wait until there is one")
    ca = _ca(source, given)
    if key is None or not source.shaped("heads"):
        return None
    return Heads(
        key,
        tuple(public for public in known if public is not None),
        file,
        None if "syslog" not in given else source.path.parent / given["syslog"],
        given.get("webhook"),
        ca,
    )


def _is_set(source: ConfigSource, section: Mapping[str, Any], name: str) -> bool:
    """Whether the setting is there, in a good shape or a bad one."""
    return name in section or source.spoiled(f"heads.{name}")


def _key(source: ConfigSource, section: Mapping[str, Any]) -> bytes | None:
    file = source.file("heads.key", section["key"], HOW_KEYS_ARE_MADE) if "key" in section else None
    if file is None:
        return None
    key, mistakes = read_key(file)
    for mistake in mistakes:
        source.wrong("heads.key", mistake)
    return key


def _public(source: ConfigSource, path: str, name: str) -> bytes | None:
    file = source.file(path, name)
    public = None if file is None else read_public(file)
    if file is not None and public is None:
        source.wrong(path, f"{file} holds no public key as `jackpot keys site` writes them")
    return public


def _ca(source: ConfigSource, section: Mapping[str, Any]) -> Path | None:
    """The CA of the webhook's certificate, where that is not a public authority."""
    if "webhook_ca" not in section:
        return None
    if not _is_set(source, section, "webhook"):
        source.wrong("heads.webhook_ca", "there is no webhook whose certificate it could have signed")
    return source.authority("heads.webhook_ca", section["webhook_ca"])
