"""Line numbers of a configuration's tables and settings, by path."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

# A line of TOML that begins a table, or one of many tables, without quoted names.
_HEAD: Final = re.compile(r"\s*\[(?P<many>\[)?\s*(?P<name>[\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]")
# A line that begins a setting.
_SETTING: Final = re.compile(r"\s*(?P<name>[\w-]+(?:\s*\.\s*[\w-]+)*)\s*=")
_SEPARATOR: Final = re.compile(r"\s*\.\s*")
# The last part of a path: `.name`, or `[0]`.
_LAST: Final = re.compile(r"\.?[^.\[\]]+$|\[\d+\]$")


def lines_of(text: str) -> dict[str, int]:
    """The line at which each table and setting begins, by path as in `shape.path_of`, from 1 on."""
    lines: dict[str, int] = {}
    counts = Counter[str]()
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if (head := _HEAD.match(line)) is not None:
            *outer, name = _SEPARATOR.split(head["name"])
            table = ""
            for part in outer:
                table = _newest(_join(table, part), counts)
            table = _join(table, name)
            if head["many"]:
                counts[table] += 1
            table = _newest(table, counts)
            lines.setdefault(table, number)
        elif (setting := _SETTING.match(line)) is not None:
            path = table
            for part in _SEPARATOR.split(setting["name"]):
                path = _join(path, part)
                lines.setdefault(path, number)
    return lines


def line_of(path: str, lines: Mapping[str, int]) -> int | None:
    """The line of the setting at this path, or of the innermost table around it that has one."""
    while path and path not in lines:
        path = _LAST.sub("", path)
    return lines.get(path)


def _join(table: str, name: str) -> str:
    return f"{table}.{name}" if table else name


def _newest(path: str, counts: Mapping[str, int]) -> str:
    """The path of the newest of many tables, if that is what it names."""
    return f"{path}[{counts[path] - 1}]" if path in counts else path
