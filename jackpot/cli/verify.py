"""`jackpot verify`: proves that a ledger is unchanged and that its books balance."""

from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from jackpot.cli.options import NAMED, ConfigFile, LedgerUrl, SealedArchive, configured, digest_text, fail
from jackpot.cli.textfile import TextFile, tell
from jackpot.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from jackpot.config import Config
    from jackpot.ledger.heads import KeptHeads
    from jackpot.ledger.reading import Reader
    from jackpot.ledger.verify.verifier import VerifyReport

app = typer.Typer(help="Prove the ledger from its first row.")

_HASH_BYTES: Final = 32
# Rows that stopped links: so many are named, as a person looks at each of them.
_ROWS_TOLD: Final = 20
# Invalid lines of a file of heads that are named: a file of another site has nothing but such lines.
PROBLEMS_MAX: Final = 20


Bank = Annotated[
    str | None, typer.Option("--bank", metavar="BANK", help="Only this bank; without it, every bank.")
]
HeadHash = Annotated[
    str | None,
    typer.Option("--head", metavar="HASH", help="What an earlier verify printed: finds rows cut off since."),
]
Heads = Annotated[
    Path | None,
    typer.Option("--heads", metavar="FILE", help="Signed heads that were kept on another machine."),
]
Keys = Annotated[
    list[Path] | None,
    typer.Option("--key", metavar="PUB", help="A public key of the site; default: those of [heads]."),
]
Chain = Annotated[bool, typer.Option("--chain", help="Prove only that rows follow one another and balance.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, help="Processes at once. [default: one for each processor]")
]


@app.command()
def verify(
    context: typer.Context,
    ledger: LedgerUrl = None,
    config: ConfigFile = None,
    bank: Bank = None,
    head: HeadHash = None,
    heads: Heads = None,
    key: Keys = None,
    chain: Chain = False,
    jobs: Jobs = None,
    *,
    archive: SealedArchive = None,
    textfile: TextFile = None,
) -> None:
    """Prove the ledger from its first row: chain, postings, meters, snapshots and head. A server may run.

    A ledger that was sealed (`jackpot ledger seal`) needs its --archive: both are proved, each row that
    stayed is compared, and both must be of one chain. Without it old rows are a problem that is named.

    With --ledger and --config, the ledger of that URL must have the site and banks of that configuration.
    With --heads each head in that file must be signed by a known key and be in the chain; rows newer than the
    last head are called unproved. With --chain no row is decided again: that shows quickly whether rows were
    changed, moved or taken away, and not whether what they say is right. With --textfile, if all holds, the
    file says when and up to which row, for an alert that watches it.

    Example: jackpot verify --config /etc/jackpot/config.toml --heads /mnt/audit/heads.jsonl --key site.pub
    """
    from jackpot.ledger.store import LedgerError

    if textfile is not None and chain:
        fail("--textfile says that the books were proved, and --chain does not prove them")
    known, of = _known_hash(head), _config_of(context, ledger, config)
    kept = None if heads is None else partial(_kept_heads, heads, _public_keys(key or [], of))
    try:
        asked = _VerifyOptions(ledger or (of.ledger.url if of else ""), of, bank, known, chain, jobs, archive)
        problems, reports = _verified(asked, kept)
    except LedgerError as error:
        fail(str(error))
    for problem in [*problems, *(found for report in reports.values() for found in report.problems)]:
        typer.echo(problem, err=True)
    sound = not problems and not any(report.problems for report in reports.values())
    how = (
        ", each following from the one before; none was decided again"
        if chain
        else ", the books balance" * sound
    )
    for name, report in reports.items():
        _say(name, report, how, archive, heads=heads is not None)
    _end_if_wrong(problems, reports)
    _end_if_unproved(reports, archive)
    if textfile is not None:
        tell(textfile, "verified", {name: report.head.seq for name, report in reports.items()})


def _end_if_wrong(problems: "Sequence[str]", reports: "Mapping[str, VerifyReport]") -> None:
    """Ends the command if there are problems. problems: of the whole ledger."""
    wrong = {"ledger": len(problems)} if problems else {}
    wrong |= {name: len(report.problems) for name, report in reports.items() if report.problems}
    if wrong:
        found = ", ".join(f"{name}: {counted(count, 'problem')}" for name, count in wrong.items())
        fail(f"{found}: this is not what was written")


def _say(name: str, report: "VerifyReport", how: str, archive: Path | None, *, heads: bool) -> None:
    """Prints how far a bank is proved, what is unproved, and its head.

    heads: whether signed ones were given.
    """
    if report.problems or not report.head.seq or (report.archived and archive is None):
        return
    rows = f"{counted(report.head.seq, 'row')} {'holds' if report.head.seq == 1 else 'hold'}"
    typer.echo(f"{name}: {rows}{how}")
    for left in [
        *_programs(report),
        *_unproved(report),
        *([f"frames of rows 1 to {report.archived} are proved by {archive}"] if report.archived else []),
        *([_proved(report)] if heads else []),
    ]:
        typer.echo(f"{name}: {left}")
    typer.echo(f"{name}: head {report.head.hash.hex()}")


def _programs(report: "VerifyReport") -> list[str]:
    """Prints which program decided which rows."""
    return [
        f"rows {one.first} to {one.last}: "
        + (f"jackpot {one.version}, {digest_text(one.digest)}" if one.version else "program not recorded")
        for one in report.programs
    ]


def _config_of(context: typer.Context, url: str | None, config: Path | None) -> "Config | None":
    """The configuration to compare the ledger with.

    Next to a URL a file counts only where the command names it: JACKPOT_CONFIG may be of another ledger.
    """
    from msgspec.structs import replace

    source = context.get_parameter_source("config")
    if url and (source is None or source.name != "COMMANDLINE"):
        return None
    found = configured(config, NAMED)
    return replace(found, ledger=replace(found.ledger, url=url)) if url else found


def _unproved(report: "VerifyReport") -> list[str]:
    """Prints the rows that were accepted as they stand: the journal lacks what decided them."""
    left = []
    if report.older:
        left.append(f"checked, but not decided a second time: {counted(report.older, 'row')} of older rules")
    still = report.refusals - len(report.stopped)
    if still:
        left.append(
            f"believed as it stands: {counted(still, 'refusal')} of long frames, which moved no money"
        )
    if report.stopped:
        rows = ", ".join(str(seq) for seq in report.stopped[:_ROWS_TOLD])
        more = f" and {len(report.stopped) - _ROWS_TOLD} more" if report.stopped[_ROWS_TOLD:] else ""
        left.append(f"{counted(len(report.stopped), 'row')} stopped links as internal: rows {rows}{more}")
    return left


def _end_if_unproved(reports: "Mapping[str, VerifyReport]", archive: Path | None) -> None:
    """Ends the command where rows were archived: a role that may delete rows could also claim that."""
    old = [f"{name}: rows 1 to {report.archived}" for name, report in reports.items() if report.archived]
    if old and archive is None:
        fail(f"{', '.join(old)}: old frames are archived, and nothing is proved without: give --archive FILE")


def _proved(report: "VerifyReport") -> str:
    """Prints how far signed heads prove a bank."""
    if not report.unproved:
        return "every row is proved by a signed head"
    if report.unproved == report.head.seq:
        return "unproved: all of it: no head of it was signed by a known key"
    newer = counted(report.unproved, "row")
    return f"unproved: {newer} after row {report.head.seq - report.unproved}, the last with a signed head"


def _public_keys(files: list[Path], config: "Config | None") -> list[bytes]:
    """The public keys of the signers: from the files, else from the configuration."""
    from jackpot.config import read_public
    from jackpot.ledger.heads import SiteKey

    found = []
    for file in files:
        if not file.is_file():
            fail(f"--key: there is no file {file}")
        public = read_public(file)
        if public is None:
            fail(f"--key: {file} holds no public key as `jackpot keys site` writes them")
        found.append(public)
    if not found and config is not None and config.heads is not None:
        found = [SiteKey(config.heads.key).public, *config.heads.known]
    if not found:
        fail("--heads: signed by whom? give --key PUB, or --config FILE with [heads]")
    return found


def _kept_heads(file: Path, keys: list[bytes], site: str) -> "KeptHeads":
    """The signed heads in a file, of this site. Prints the lines that hold none."""
    from jackpot.ledger.heads import known_keys, read_heads

    try:
        with file.open("rb") as lines:
            kept = read_heads(lines, site, known_keys(keys))
    except OSError as error:
        fail(f"--heads: {file} cannot be read: {error.strerror}")
    if kept.no_heads:
        said = ", ".join(str(number) for number in kept.no_heads[:_ROWS_TOLD])
        typer.echo(f"warning: {counted(len(kept.no_heads), 'line')} of the heads hold none: {said}", err=True)
    return kept


def _known_hash(head: str | None) -> bytes | None:
    if head is None:
        return None
    try:
        known = bytes.fromhex(head)
    except ValueError:
        known = b""
    if len(known) != _HASH_BYTES:
        fail(f"--head: {head!r} is not a hash of {2 * _HASH_BYTES} hex digits")
    return known


class _VerifyOptions(NamedTuple):
    """Options of the command. url: of the ledger."""

    url: str
    config: "Config | None"
    bank: str | None
    known: bytes | None
    chain: bool
    jobs: int | None
    archive: Path | None


def _verified(
    asked: _VerifyOptions, kept: "Callable[[str], KeptHeads] | None"
) -> "tuple[list[str], dict[str, VerifyReport]]":
    """Problems of the ledger as a whole, and of the bank, or of each bank of the ledger.

    kept: the signed heads, once it is known of which site.
    """
    from jackpot.cli.progress import bar
    from jackpot.ledger.archived import archive_differences
    from jackpot.ledger.banks import site_of
    from jackpot.ledger.heads import KeptHeads
    from jackpot.ledger.open import open_reader
    from jackpot.ledger.verify import verifier as audit
    from jackpot.ledger.verify.parallel_verify import in_parts, processors
    from jackpot.ledger.verify.side_tables import archived

    bank, known = asked.bank, asked.known
    with closing(open_reader(asked.url)) as ledger, bar() as progress:
        there = ledger.banks()
        if not there:
            fail("the ledger is empty: no server has ever opened it")
        if bank is not None and bank not in there:
            fail(f"there is no bank {bank} in this ledger; there is {', '.join(there)}")
        banks = there if bank is None else [bank]
        if known is not None and len(banks) > 1:
            fail(f"--head is one bank's: say --bank too ({', '.join(banks)})")
        parts = in_parts(ledger, asked.url, asked.jobs or processors())
        heads = KeptHeads({}, [], []) if kept is None else kept(site_of(ledger, there[0]))
        typer.echo(f"ledger: {_schema(ledger)}")
        problems = _whole(ledger, asked.config, banks, chain=asked.chain)
        strange = [] if asked.chain else _side_tables(ledger, asked.config, banks, said=True)
        problems += [*heads.problems[:PROBLEMS_MAX], *heads.elsewhere(there)]
        options = audit.VerifyOptions(asked.chain, parts)
        with _archive_of(asked) as archive:
            reports = {
                name: audit.verify(
                    ledger,
                    name,
                    known,
                    heads.of(name),
                    options._replace(progress=partial(progress, name), archive=archive),
                )
                for name in banks
            }
            if archive is not None:
                old = [name for name in banks if reports[name].archived]
                problems += _of_archive(archive, asked, old, progress)
                problems += [] if asked.chain else [f"archive: {one}" for one in archived(archive, ledger)]
                others = [name for name in there if name not in old]
                problems += archive_differences(ledger, archive, others if old else [])
        # What a server had in progress at the first look is complete at the second.
        again = _side_tables(ledger, asked.config, banks) if strange else []
        problems += [problem for problem in again if problem in strange]
        return problems, reports


def _side_tables(
    ledger: "Reader", config: "Config | None", banks: list[str], *, said: bool = False
) -> list[str]:
    """Problems of the tables next to the chain. config: says how long documents are kept.

    said: whether to tell what no entry and no configuration decides.
    """
    from jackpot.clock import SystemClock
    from jackpot.ledger.verify.side_tables import KeptRows, compare

    days = None if config is None else config.site.papers_kept_days
    found = compare(ledger, banks, KeptRows(config is not None, days, SystemClock().unix_ms()))
    if found.by_age and said:
        sheets = f"{counted(found.by_age, 'row')} of paper emptied without an entry"
        typer.echo(f"believed as it stands: {sheets}: only --config says whether their time was over")
    if found.unread and said:
        typer.echo("believed as it stands: the rows of secret, which this role of the database may not read")
    return found.problems


def _of_archive(
    archive: "Reader", asked: _VerifyOptions, banks: list[str], progress: "Callable[[str, int, int], None]"
) -> list[str]:
    """What is wrong with the archive by itself: its schema, its file, and all rows of these banks and the
    people's.
    """
    from jackpot.ledger.sqlite.store import SqliteLedger
    from jackpot.ledger.verify import verifier as audit
    from jackpot.ledger.verify.parallel_verify import in_parts, processors
    from jackpot.rules.signing import SITE

    parts = in_parts(archive, f"sqlite:///{asked.archive}", asked.jobs or processors())
    found = list(archive.schema().problems)
    if isinstance(archive, SqliteLedger) and not asked.chain:
        found += archive.integrity()
    for name in (*banks, *({SITE} & set(archive.banks()))):
        options = audit.VerifyOptions(asked.chain, parts, partial(progress, f"{name}: archive"))
        found += audit.verify(archive, name, options=options).problems
    return [f"archive: {one}" for one in found]


@contextmanager
def _archive_of(asked: _VerifyOptions) -> "Iterator[Reader | None]":
    """The archive, if one was given."""
    from jackpot.ledger.open import open_reader

    if asked.archive is None:
        yield None
        return
    with closing(open_reader(f"sqlite:///{asked.archive}")) as archive:
        typer.echo(f"archive: {_schema(archive)}")
        yield archive


def _schema(ledger: "Reader") -> str:
    """The schema of the ledger, which selects the one to compare it with."""
    number, newest, _ = ledger.version
    old = f" of an earlier program, read as it is; this one's is {newest:04}" if number < newest else ""
    return f"schema {number:04}{old}"


def _whole(ledger: "Reader", config: "Config | None", banks: list[str], *, chain: bool) -> list[str]:
    """Problems of the ledger apart from its rows, and which of these banks lost theirs.

    chain: SQLite's look through its whole file is left out, as what it would find decides nothing.

    A bank that is missing shows by the configuration alone.
    """
    from jackpot.bank.config_alignment import check_site, missing_banks
    from jackpot.ledger.banks import UNFINISHED_COPY, cut_short
    from jackpot.ledger.sqlite.store import SqliteLedger
    from jackpot.ledger.store import LedgerError

    found = ledger.schema()
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    problems = list(found.problems)
    if isinstance(ledger, SqliteLedger) and not chain:
        problems += ledger.integrity()
    problems += [
        f"{bank}: its head says that it is an {UNFINISHED_COPY}: go on with that copy; if there was none, "
        "somebody wrote it, and no server takes the bank"
        for bank in ledger.banks()
        if ledger.head(bank).holder == UNFINISHED_COPY
    ]
    problems += [f"{bank}: {said}" for bank in banks if (said := cut_short(ledger, bank))]
    if config is not None:
        problems += missing_banks(ledger, config).values()
        try:
            check_site(ledger, config)
        except LedgerError as error:
            problems.append(str(error))
    return problems
