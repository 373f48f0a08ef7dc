"""The section of the notifier: the webhook and its events."""

from collections.abc import Collection
from typing import Final

from jackpot.config.keys import read_key
from jackpot.config.settings import Notify
from jackpot.config.source import ConfigSource

EVENTS: Final = ("hit", "alarm", "request")
HOW_MADE: Final = ": `openssl rand -hex 32` makes what it holds; only its owner may read it (chmod 600)"


def read_notify(source: ConfigSource, roles: Collection[str]) -> Notify | None:
    """Reads the section, None where there is none. roles: only a machine with table keys notifies."""
    given = source.section("notify")
    if not given or "table" not in roles:
        return None
    file = source.file("notify.secret", given["secret"], HOW_MADE) if "secret" in given else None
    secret, mistakes = (None, []) if file is None else read_key(file)
    for mistake in mistakes:
        source.wrong("notify.secret", mistake)
    ca = source.authority("notify.ca", given["ca"]) if "ca" in given else None
    if secret is None or not source.shaped("notify"):
        return None
    return Notify(given["url"], secret, tuple(given.get("events", EVENTS)), ca)
