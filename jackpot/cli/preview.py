"""What would an act do? Shown before it is asked for, with what has it done as it was shown, or refused."""

from typing import Any

import typer

from jackpot.cli.api_client import Talk
from jackpot.cli.options import table as print_table


def previewed(talk: Talk, act: str, **fields: Any) -> bool:
    """With --preview: shows what the act would do, and that is all. fields: its own, but the reason."""
    from jackpot.api.preview import AskPreview

    if not talk.preview:
        return False
    levels = ",".join(fields.pop("levels", ())) or None
    found = talk.ask(AskPreview(act=act, levels=levels, **fields))  # type: ignore[arg-type]  # one of them
    if not talk.told(found):
        _show(found)
        typer.echo(f"--seen {found['seen']} in place of --preview does this, and nothing else")
    return True


def differences(found: list[dict[str, Any]]) -> None:
    """Ledger and configuration side by side (L9)."""
    if found:
        rows = [
            [one["what"], one["ledger"], one["configuration"], "never changes" if one["fixed"] else ""]
            for one in found
        ]
        print_table("the configuration differs", ["", "ledger", "configuration", ""], rows)


def _show(found: dict[str, Any]) -> None:
    rows = [
        [one["link"], one["level"], name, one[account], one[f"{account}_after"]]
        for one in found["moved"]
        for name, account in (("meter", "value"), ("reserve", "reserve"), ("overflow", "overflow"))
        if one[account] != one[f"{account}_after"]
    ]
    rows += [
        [one["link"], one["level"], "back to the house", "", one["house"]]
        for one in found["moved"]
        if one["house"] != "0.00"
    ]
    if rows:
        print_table("it would move", ["link", "level", "account", "now", "then"], rows)
    if undone := [[one["hit"], one["award"], str(one["seat"]), one["amount"]] for one in found["undone"]]:
        print_table("it would undo", ["hit", "award", "seat", "amount"], undone)
    if raised := [[one["hit"], one["award"], one["amount"], one["amount_after"]] for one in found["raised"]]:
        print_table("it would raise", ["hit", "award", "now", "then"], raised)
    left = [[one["award"], one["link"], one["level"], one["amount"]] for one in found["leaving"]]
    if left:
        print_table("it would leave to decide on", ["award", "link", "level", "left"], left)
    differences(found["differences"])
    if found["payers"]:
        typer.echo(f"the award is paid by {' or '.join(found['payers'])}")
    if not rows and not found["differences"]:
        typer.echo("no meter would move" if undone else "it would move nothing")
