"""A configuration file while it is read: its parts by path, and every mistake found on the way.

A part may have one fault and still be read further, so that one reading finds every mistake.
"""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from jackpot.config.display import FILES, PICTURES, file_fault, locale_fault
from jackpot.config.settings import Address
from jackpot.config.shape import faults_of, sound


class ConfigEntry(NamedTuple):
    """One of many tables of one name, like link[0].

    given: the entry without what has a bad shape. whole: nothing had; if not, it is read for mistakes only.
    """

    path: str
    given: dict[str, Any]
    whole: bool


class ConfigSource:
    """One configuration file while it is read."""

    def __init__(self, path: Path, data: Mapping[str, Any]) -> None:
        self.path = path
        self._data = data
        faults = faults_of(data)
        self.mistakes = [(fault.path, fault.sentence) for fault in faults]
        self.warnings: list[str] = []
        self._misshapen = tuple(fault.path for fault in faults if fault.spoils)

    def wrong(self, path: str, sentence: str | None) -> None:
        """Records the verdict of a check on the value at this path; None is good."""
        if sentence is not None:
            self.mistakes.append((path, sentence))

    def warn(self, sentence: str) -> None:
        """Records a warning: what an operator should know and may mean. The same warning is kept once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def shaped(self, path: str) -> bool:
        """Whether the part at this path has a good shape, down to its leaves."""
        below = (f"{path}.", f"{path}[")
        return not any(where == path or where.startswith(below) for where in self._misshapen)

    def spoiled(self, path: str) -> bool:
        """Whether a fault of shape lies there, or above or below."""
        above = any(path.startswith((f"{bad}.", f"{bad}[")) for bad in self._misshapen)
        return above or not self.shaped(path)

    def section(self, name: str) -> dict[str, Any]:
        """The table [name] without what has a bad shape; empty if there is none."""
        given = sound(name, self._data.get(name), self._misshapen)
        return given if isinstance(given, dict) else {}

    def entries(self, name: str) -> list[ConfigEntry]:
        """The [[name]] tables."""
        return [
            ConfigEntry(path, sound(path, given, self._misshapen), self.shaped(path))
            for path, given in self._tables(name)
        ]

    def ids(self, name: str) -> dict[str, list[str]]:
        """The ids of all [[name]] tables, those with other mistakes too, each with the paths that have it."""
        ids: dict[str, list[str]] = {}
        for path, given in self._tables(name):
            if "id" in given:
                ids.setdefault(str(given["id"]), []).append(path)
        return ids

    def unique(self, name: str) -> None:
        """Checks that no two [[name]] tables share an id."""
        for id_, paths in self.ids(name).items():
            if len(paths) > 1:
                self.wrong(name, f"the id {id_} is given to {len(paths)} of them: {', '.join(paths)}")

    def file(self, path: str, name: str, how: str = "") -> Path | None:
        """The file that is named there. how: what makes one, for the sentence that it is missing."""
        file = self.path.parent / name
        if file.is_file():
            return file
        self.wrong(path, f"there is no file {file}{how}")
        return None

    def authority(self, path: str, name: str) -> Path | None:
        """The CA certificate that is named there."""
        file = self.file(path, name)
        if file is not None:
            try:
                ssl.create_default_context(cafile=file)
            except ssl.SSLError:
                self.wrong(path, f"{file} holds no certificate")
        return file

    def check_display(self, path: str, section: Mapping[str, Any]) -> None:
        """Checks that pages can show the files of this part's display, and use its locale, if any."""
        if "locale" in section:
            self.wrong(f"{path}.locale", locale_fault(section["locale"]))
        for name in FILES:
            if name in section:
                self.wrong(f"{path}.{name}", file_fault(name, self.path.parent / section[name]))
        for place, name in enumerate(section.get(PICTURES, ())):
            self.wrong(f"{path}.{PICTURES}[{place}]", file_fault(PICTURES, self.path.parent / name))

    def address(self, path: str, text: str | None) -> Address | None:
        """The address that is written there, None where there is none or it is wrong."""
        try:
            return None if text is None else Address.of(text)
        except ValueError as error:
            self.wrong(path, str(error))
            return None

    def names(self) -> dict[str, str]:
        """By path, what people call each table of many: its id, or its number."""
        called = {}
        for name in self._data:
            for number, (path, given) in enumerate(self._tables(name), 1):
                id_ = given.get("id")
                called[path] = f'{name} "{id_}"' if isinstance(id_, str) else f"{name} number {number}"
        return called

    def _tables(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        found = self._data.get(name, [])
        listed = enumerate(found if isinstance(found, list) else ())
        return [(f"{name}[{index}]", given) for index, given in listed if isinstance(given, dict)]
