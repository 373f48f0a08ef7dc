"""Preview of an act: shows its effect before it is carried out."""

from typing import Any

import typer

from jackpot.cli.api_client import ApiClient
from jackpot.cli.options import table as print_table


def previewed(client: ApiClient, act: str, **fields: Any) -> bool:
    """With --preview: shows what the act would do, and returns. fields: its own, but the reason."""
    from jackpot.api.preview import AskPreview

    if not client.preview:
        return False
    levels = ",".join(fields.pop("levels", ())) or None
    found = client.ask(AskPreview(act=act, levels=levels, **fields))  # type: ignore[arg-type]  # one of them
    if not client.told(found):
        _show(found)
        typer.echo(f"--seen {found['seen']} in place of --preview does this, and nothing else")
    return True


def differences(found: list[dict[str, Any]]) -> None:
    """Prints the ledger's and the configuration's terms side by side (L9)."""
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
    if found["before"]:
        typer.echo(f"the award comes to {found['before']} until then")
    if found["payers"]:
        typer.echo(f"the award is paid by {' or '.join(found['payers'])}")
    if not rows and not found["differences"]:
        typer.echo("no meter would move" if undone else "it would move nothing")
    typer.echo(f"two people sign it: {found['why_two']}" if found["why_two"] else "one person signs it")
