"""Commands of acts: a command's arguments and options come from the fields of its act.

A field that has to be given is an argument. Options are what may be left out, a reason, a sum, and whether
something is so. What people write on papers is `--write NAME=TEXT`, and a person is named by their login.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, getdoc, signature
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Final,
    Literal,
    NamedTuple,
    ParamSpec,
    Union,
    get_args,
    get_origin,
)

import typer
from msgspec import NODEFAULT, Meta
from msgspec.structs import FieldInfo
from msgspec.structs import fields as fields_of

from jackpot.api.http_call import act_of
from jackpot.api.operation import BadRequest, ServerCommand, name_of
from jackpot.api.preview import AskPreview
from jackpot.cli.api_client import MOVES, ONE, TWO, ApiClient, with_api_options
from jackpot.cli.options import Reason, fail
from jackpot.cli.preview import previewed
from jackpot.rules.acts import ACT_OF, ACTS
from jackpot.rules.acts.act import BankKey, key_of
from jackpot.rules.commands import ActCommand
from jackpot.web.act_labels import DOINGS

P = ParamSpec("P")
Kind = type[ServerCommand | ActCommand]


class OptionSpelling(NamedTuple):
    """How a command spells a field. help: "" where the description of its type says it."""

    metavar: str
    help: str = ""
    example: str = ""


# By the field's name; another field is called by its name, and explained by its type.
_ARGUMENTS: Final[Mapping[str, OptionSpelling]] = {
    "alarm": OptionSpelling("ALARM", "The alarm's id, as `alarms list` gives it.", "AL7"),
    "award": OptionSpelling("AWARD", "The award's id, such as A34.", "A34"),
    "day": OptionSpelling("DAY", "The gaming day from which it is so.", "2026-12-24"),
    "device": OptionSpelling("DEVICE", "The device's id.", "T01"),
    "digest": OptionSpelling("DIGEST", "As published with the release, 64 hex digits.", '"$DIGEST"'),
    "hit": OptionSpelling("HIT", "The hit's id, such as H12.", "H12"),
    "left": OptionSpelling("LEFT", "Its id, such as D3; `jackpot links show` lists them.", "D3"),
    "level": OptionSpelling("LEVEL", "The level's name.", "meter"),
    "link": OptionSpelling("LINK", "The link's id.", "floor-five"),
    "notice": OptionSpelling("NOTICE", "The notice's id, as `links show` gives it.", "N3"),
    "links": OptionSpelling("LINK...", "The link's id; there may be several.", "floor-five"),
    "login": OptionSpelling("LOGIN", "What the person signs in with.", "cal"),
    "person": OptionSpelling("LOGIN", "What the person signs in with.", "cal"),
    "reference": OptionSpelling("REFERENCE", "That of the credit, in the system of the accounts.", "TX-81"),
    "role": OptionSpelling("ROLE", example="floor"),
    "round": OptionSpelling("ROUND", "The round's id, as `rounds show` gives it.", "R77"),
    "seat": OptionSpelling("SEAT", "The seat that made the wager.", "4"),
    "table": OptionSpelling("TABLE", "The table's id.", "T01"),
    "to": OptionSpelling("TO", "The link that its money goes to.", "floor-six"),
    "token": OptionSpelling("TOKEN", "Its number, as `tokens` says.", "3"),
}
_OPTIONS: Final[Mapping[str, OptionSpelling]] = {
    "amount": OptionSpelling("SUM", 'The right sum, such as "9999.21".', "9999.21"),
    "abandoned": OptionSpelling("", "Whether the player has left the table."),
    "award": OptionSpelling("ID", "Only this award of the hit, such as A34."),
    "believe": OptionSpelling("", "Whether you believe the table's number."),
    "highest": OptionSpelling(
        "LINK.LEVEL=SUM",
        "Of a mystery level, where rows are lost: the highest value that signs or tables showed since its "
        "last win in the ledger. May be repeated.",
    ),
    "key": OptionSpelling("FINGERPRINT", "Only this key of the device."),
    "lamp": OptionSpelling("STATE", 'What the lamps of its awards show: "lit" or "lamp_failed".', "lit"),
    "level": OptionSpelling("LEVEL", "The level whose limit is lowered."),
    "table": OptionSpelling("TABLE", "At this table alone."),
    "levels": OptionSpelling(
        "FROM=TO", "The level that takes it, where the other link has none of the same name."
    ),
    "remark": OptionSpelling("TEXT", "What you found; it is journalled."),
    "remove": OptionSpelling("", "Take the money off the meter, or let it stay for the next winner."),
    "roles": OptionSpelling("ROLE", "A role; may be repeated."),
    "seat": OptionSpelling("N", "Only this winner of the hit."),
    "to": OptionSpelling("LINK", "The link that its money goes to."),
    "nonresident": OptionSpelling("", "The patron is not a resident of the site's country."),
    "other_sum": OptionSpelling("SUM", "The part that is given another way, other_way.", "2000.00"),
    "withheld": OptionSpelling("SUM", 'What is withheld, such as "2398.80".', "2398.80"),
}
# Whether something is so: the options for yes and for no.
_FLAGS: Final[Mapping[str, str]] = {
    "abandoned": "--left/--stays",
    "believe": "--believe/--disbelieve",
    "nonresident": "--nonresident/--resident",
    "remove": "--remove/--stay",
}
# What people write on papers.
_WRITTEN: Final = frozenset({
    "dealer", "document", "identification", "patron", "surveillance", "tax_form", "tax_number",
    "taxpayer_number", "treaty_form", "treaty_rate", "way", "way_number", "other_way", "other_number",
    "witness",
})  # fmt: skip
_Write = Annotated[
    list[str] | None,
    typer.Option("--write", metavar="NAME=TEXT", help="Write this on the hit's papers; may be repeated."),
]
# What may stand in several banks, or in the one that --bank says.
_SEVERAL_BANKS: Final = (
    BankKey.AWARD,
    BankKey.HIT,
    BankKey.HIT_OR_AWARD,
    BankKey.LINK_OR_HIT,
    BankKey.SAID,
)
# Acts that can be previewed, and those that may take two people.
_PREVIEWED: Final = frozenset(get_args(AskPreview.__annotations__["act"]))
_TWO: Final = frozenset(act.name for act in ACTS if act.needs_two)
# A rule's id, which the description of an act names for those who build it.
_RULE_IDS: Final = re.compile(r" \([A-Z]+\d+[^)]*\)")


@dataclass(frozen=True)
class ActCall:
    """An act as somebody typed it, and the server that it goes to.

    fields: those that were given, as JSON has them. login: of the person that it is about, if it is.
    """

    client: ApiClient
    kind: Kind
    fields: dict[str, Any]
    login: str | None = None

    def act(self, **more: Any) -> Any:
        """The act, with more fields; ends the command where a field is wrong."""
        try:
            return act_of(self.kind, self.fields | more, "nobody").ask
        except BadRequest as error:
            fail(str(error))

    def send(self, waits: str = "", **more: Any) -> dict[str, Any]:
        """The server's answer to the act. more, waits: as of `act` and `ApiClient.ask`."""
        return self.client.ask(self.act(**more), waits=waits)

    def done(self, said: str | Callable[[dict[str, Any]], str], waits: str = "", **more: Any) -> None:
        """Previews the act, or sends it and prints what was done.

        said: with the names of fields in braces, or what is said of the answer.
        """
        fields = self.fields | more
        known = {name: value for name, value in fields.items() if name != "reason"}
        if previewed(self.client, name_of(self.kind), **known):
            return
        answer = self.send(waits, **more)
        self.client.show(answer, said.format_map(fields) if isinstance(said, str) else said(answer))


def act_command(
    app: typer.Typer,
    kind: Kind,
    name: str | None = None,
    *,
    without: tuple[str, ...] = (),
    two: bool = False,
    defaults: Mapping[str, Any] | None = None,
    helps: Mapping[str, str] | None = None,
) -> Callable[[Callable[Concatenate[ActCall, P], None]], Callable[Concatenate[ActCall, P], None]]:
    """Adds the command of an act. What it decorates gets the `ActCall`, and the options of its own.

    name: the command's, if it is not the function's. without: fields that are not typed. two: two people
    may sign it, although its entry does not say when. defaults: of fields that the act itself wants. helps:
    what a field means here, by its name.
    """
    fields = [
        _parameter(field, (defaults or {}).get(field.name, field.default), (helps or {}).get(field.name, ""))
        for field in fields_of(kind)
        if field.name not in _WRITTEN.union(without)
    ]
    if not _WRITTEN.isdisjoint(kind.__struct_fields__):
        fields.append(Parameter("write", Parameter.KEYWORD_ONLY, default=None, annotation=_Write))

    def added(
        run: Callable[Concatenate[ActCall, P], None],
    ) -> Callable[Concatenate[ActCall, P], None]:
        itself, *own = signature(run).parameters.values()

        def command(client: ApiClient, /, **typed: Any) -> None:
            given = {one.name: typed.pop(one.name) for one in own}
            login = typed.pop("person", None)
            run(ActCall(client, kind, _typed_fields(kind, typed), login), **given)  # type: ignore[call-arg]

        every = [itself, *fields, *(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own)]
        command.__doc__, command.__name__ = run.__doc__, run.__name__
        command.act = kind  # type: ignore[attr-defined]
        command.__signature__ = signature(run).replace(parameters=every)  # type: ignore[attr-defined]
        app.command(name)(with_api_options(*_api_options(kind, without, two=two))(command))
        return run

    return added


def plain_act(app: typer.Typer, group: str, kind: Kind) -> None:
    """Adds the command of an act by its own name, in the words that its type and the pages have for it."""
    example = [f"jackpot {group} {name_of(kind)}"]
    example += [_example(field) for field in fields_of(kind) if field.required]

    def command(call: ActCall) -> None:
        call.done(lambda _: DOINGS[name_of(kind)].done)

    about = _RULE_IDS.sub("", (getdoc(kind) or "").partition("\n\n")[0])
    command.__doc__ = f"{about}\n\nExample: {' '.join(example)} -c config.toml"
    act_command(app, kind, name_of(kind))(command)


def _api_options(kind: Kind, without: tuple[str, ...], *, two: bool) -> tuple[str, ...]:
    """The options of such an act besides its own."""
    act, declared = name_of(kind), ACT_OF[kind].bank if issubclass(kind, ActCommand) else kind.bank_key
    key = key_of(kind.__struct_fields__, declared)
    people = MOVES if act in _PREVIEWED else TWO if two or act in _TWO else ONE
    named = "links" not in without if key is BankKey.LINKS else key not in _SEVERAL_BANKS
    return people if named else (*people, "bank")


class _FieldType(NamedTuple):
    """What somebody types for a field.

    typed: the type of it, or of each where there are several (`many`). choices: the words that there are.
    least: of a number. described: its bounds, in words. sum: whether it is money.
    """

    typed: type
    many: bool
    choices: tuple[str, ...]
    least: float | None
    described: str
    sum: bool


def _type_of(field: FieldInfo) -> _FieldType:
    metas: list[Meta] = []

    def plain(hint: Any) -> Any:
        """The type without its bounds, and without None."""
        while (origin := get_origin(hint)) in (Annotated, Union, UnionType):
            metas.extend(getattr(hint, "__metadata__", ()))
            hint = next(one for one in get_args(hint) if origin is Annotated or one is not NoneType)
        return hint

    hint = plain(field.type)
    many = get_origin(hint) is tuple
    one = plain(get_args(hint)[0]) if many else hint
    sum_ = any((meta.extra or {}).keys() & {"cents", "micros"} for meta in metas)
    return _FieldType(
        typed=bool if one is bool else int if one is int and not sum_ and field.name != "person" else str,
        many=many,
        choices=get_args(one) if get_origin(one) is Literal else (),
        least=next((meta.ge for meta in metas if meta.ge is not None), None),
        described=next((meta.description for meta in metas if meta.description), ""),
        sum=sum_,
    )


def _is_argument(field: FieldInfo) -> bool:
    """Whether a field that has to be given is an argument; the others are options all the same."""
    kind = _type_of(field)
    return not (kind.sum or kind.typed is bool or field.name == "reason")


def _parameter(field: FieldInfo, default: Any, explained: str) -> Parameter:
    """A field as an argument or an option. default: NODEFAULT where it has to be given."""
    name, required = field.name, default is NODEFAULT
    if name == "reason":
        return Parameter(name, Parameter.KEYWORD_ONLY, annotation=Reason)
    kind, argument = _type_of(field), required and _is_argument(field)
    spelling = (_ARGUMENTS if argument else _OPTIONS).get(name, OptionSpelling(name.upper()))
    choices = " or ".join(", ".join(kind.choices).rsplit(", ", 1))
    said = explained or spelling.help or kind.described or choices or name.replace("_", " ")
    shown: dict[str, Any] = {"help": said[:1].upper() + said[1:].removesuffix(".") + "."}
    option = "--" + (name.removesuffix("s") if kind.many else name).replace("_", "-")
    if kind.typed is bool:
        option = _FLAGS.get(name, f"{option}/--no-{option[2:]}")
    else:
        shown["metavar"] = spelling.metavar
    if kind.typed is int:
        shown["min"] = kind.least
    typed: Any = list[str] if kind.many else kind.typed
    if not required and (kind.many or default is None):
        typed, default = typed | None, None
    info = typer.Argument(**shown) if argument else typer.Option(option, **shown)
    return Parameter(
        name,
        Parameter.KEYWORD_ONLY,
        annotation=Annotated[typed, info],
        default=Parameter.empty if required else default,
    )


def _example(field: FieldInfo) -> str:
    """What somebody types for a field, as an example."""
    name, kind = field.name, _type_of(field)
    if name == "reason":
        return '--reason "why"'
    if kind.typed is bool:
        return _FLAGS.get(name, f"--{name}").partition("/")[0]
    typed = kind.choices[0] if kind.choices else "1" if kind.typed is int else "1.00" if kind.sum else "X1"
    argument = _is_argument(field)
    spelling = (_ARGUMENTS if argument else _OPTIONS).get(name)
    typed = spelling.example if spelling is not None and spelling.example else typed
    return typed if argument else f"--{name} {typed}"


def _typed_fields(kind: Kind, typed: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that were given; ends the command where a word is none of those that there are."""
    given = {name: value for name, value in typed.items() if value not in (None, []) and name != "write"}
    given |= _written(kind, typed.get("write"))
    for field in fields_of(kind):
        known = _type_of(field)
        if field.name in given and known.choices:
            name, words = field.name, given[field.name]
            for word in words if known.many else [words]:
                if word not in known.choices:
                    one = name.removesuffix("s") if known.many else name
                    fail(f"{word!r} is no {one}; there is {', '.join(filter(None, known.choices))}")
    return given


def _written(kind: Kind, texts: list[str] | None) -> dict[str, str]:
    """What is to be written on papers, by name."""
    names = [name for name in kind.__struct_fields__ if name in _WRITTEN]
    found = {}
    for one in texts or ():
        name, equals, text = one.partition("=")
        if not equals or name not in names:
            fail(f"--write: NAME=TEXT, where NAME is {' or '.join(', '.join(names).rsplit(', ', 1))}")
        found[name] = text
    return found
