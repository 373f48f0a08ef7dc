"""Every query is answered, from this server's own banks alone, in plain JSON."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from jackpot.api.act_reply import Problem
from jackpot.api.operation import ServerCommand, name_of, path_of
from jackpot.api.preview import AskPreview
from jackpot.api.queries.people import AskMe
from jackpot.api.registry import ASKED_ACTS, BANK_KEYS, QUESTIONS, bank_keys, reply_of
from jackpot.app import Server
from jackpot.rules.acts import ACTS
from jackpot.rules.acts.act import BankKey
from tests.net.test_admin_socket import royal
from tests.net.test_revoked_keys import taken_by
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table


@on_loop
async def test_every_question_is_answered_and_no_bank_is_left_out_in_silence(tmp_path: Path) -> None:
    """S1, S9: each question has its answer; of a bank at another server it is said who has it."""
    side = f'{LINKS}\n{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
    async with Server(configure(tmp_path, links=side)) as server, table(server) as device:
        await royal(device)
        fields = {"link": LINK, "table": "T01", "hit": "H1", "act": "correct-meter"}
        for kind in QUESTIONS:
            known = {name: value for name, value in fields.items() if f"{{{name}}}" in path_of(kind)}
            if not known and "limit" in kind.__struct_fields__:
                known = {"bank": "main"}
            if kind is AskPreview:
                known |= {"link": LINK, "level": "mega", "amount": "1.00"}
            answer = await administer(server.config, do=path_of(kind), **known)
            if kind is AskMe:
                assert answer["type"].endswith("no_person"), "the site has no people yet"
                continue
            assert answer["ok"], (kind, answer)
        (waiting,) = (await administer(server.config, do="/tables"))["tables"][:1]
        assert (waiting["table"], waiting["held"], waiting["round"]["hits"]) == ("T01", ["H1"], ["H1"])
        taken_by("b", server.banks["side"])
        links = await administer(server.config, do="/links")
        assert [link["link"] for link in links["links"]] == [LINK]
        assert [(one["bank"], one["server"]) for one in links["elsewhere"]] == [("side", "b")]
        away = await administer(server.config, do="/links/{link}", link="side")
        assert (away["code"], away["server"]) == ("misdirected", "b")


def test_no_reply_holds_a_float() -> None:
    """M1: sums and rates are decimal strings; every other number is whole."""
    kinds = {reply_of(kind) for kind in (*QUESTIONS, *ASKED_ACTS)} | {Problem}
    _, schemas = msgspec.json.schema_components(tuple(kinds))
    assert '"number"' not in msgspec.json.encode(schemas).decode()
    assert len(schemas) > len(kinds)


def test_people_may_ask_for_what_the_registry_says_and_for_nothing_else() -> None:
    """A10, S4: what only the server or a command without a server does has no route."""
    for act in ACTS:
        assert (act.command in ASKED_ACTS) == act.asked


# What names the bank of each act that people may ask for.
NAMED_BY: Final = {
    BankKey.TABLE: {
        "announce-payout-limit", "confirm-behind", "decide-abandoned", "decline", "release", "reopen",
        "strike", "void",
    },
    BankKey.DEVICE: {"clear"},
    BankKey.OWN_DEVICE: {"revoke"},
    BankKey.LINK: {
        "announce",
        "announce-end",
        "change-parameters",
        "close-link",
        "correct-meter",
        "transfer",
    },
    BankKey.LINKS: {"replace-triggers", "resume", "suspend"},
    BankKey.HIT_OR_AWARD: {"pay", "undo", "validate"},
    BankKey.HIT: {"add-papers", "dispute", "erase-papers", "lift"},
    BankKey.AWARD: {"correct", "credit"},
    BankKey.REQUEST: {"confirm", "reject"},
    BankKey.PEOPLE: {
        "add-person", "change-secret", "end-digits", "end-person", "end-token", "erase-name", "give-code",
        "grant", "make-token", "reset-secret", "set-digits", "vouch", "withdraw-role",
    },
    BankKey.SAID: {"acknowledge", "confirm-program", "decide-left", "hand-over", "withdraw-notice"},
}  # fmt: skip


def test_each_act_says_what_names_its_bank() -> None:
    """A10, L8: no act goes to a bank by chance, and none is without one."""
    found: dict[BankKey, set[str]] = {}
    for kind in ASKED_ACTS:
        found.setdefault(BANK_KEYS[kind], set()).add(name_of(kind))
    assert found == NAMED_BY


def test_an_act_whose_bank_nothing_names_is_not_taken() -> None:
    """A10: a missing declaration, or one without its field, ends the start and not a request."""

    class Nameless(ServerCommand, tag="nameless", frozen=True):
        person: int = 0

    class Linkless(Nameless, tag="linkless", frozen=True):
        bank_key = BankKey.LINK

    with pytest.raises(TypeError, match="nothing names the bank of Nameless"):
        bank_keys([Nameless])
    with pytest.raises(TypeError, match="LINK needs link"):
        bank_keys([Linkless])
