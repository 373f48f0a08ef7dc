"""`python -m tests.web.openapi` writes schemas/openapi.yaml, from the routes and types that serve the API."""

from pathlib import Path
from typing import Any, Final

import yaml

from jackpot.web.openapi import document

FILE: Final = Path(__file__).parents[2] / "schemas" / "openapi.yaml"
HEAD: Final = (
    "# Made by `python -m tests.web.openapi` from the routes and types that serve it. A test holds it.\n"
)


class _Dumper(yaml.SafeDumper):
    """YAML dumper without aliases: writes what is the same twice in full."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def text() -> str:
    """The file's text, as it should be."""
    return HEAD + yaml.dump(
        document(), Dumper=_Dumper, sort_keys=False, width=110, allow_unicode=True, default_flow_style=False
    )


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    print(f"wrote {FILE}")
