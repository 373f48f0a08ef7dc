"""Validates the shape of the configuration by JSON Schema: every fault at once, each a sentence."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import resources
from typing import Any, NamedTuple, TypeVar

import msgspec
from jsonschema import Draft202012Validator, ValidationError

from jackpot.text import did_you_mean

_Struct = TypeVar("_Struct", bound=msgspec.Struct)


class Fault(NamedTuple):
    """A fault and its place. spoils: the part that has the fault cannot be read further."""

    path: str
    sentence: str
    spoils: bool = True


def faults_of(data: Mapping[str, Any]) -> list[Fault]:
    """Every fault of shape, by path."""
    text = resources.files("jackpot").joinpath("schemas/config.schema.json").read_text(encoding="utf-8")
    errors = Draft202012Validator(json.loads(text)).iter_errors(data)
    faults = sorted(fault for error in errors for fault in _faults(error))
    told = {fault.path for fault in faults}
    return faults + sorted(fault for fault in _floats(data, ()) if fault.path not in told)


def convert(data: Mapping[str, Any], kind: type[_Struct]) -> _Struct:
    """Converts a table of good shape to a typed struct."""
    return msgspec.convert(data, kind, strict=True)


def sound(path: str, value: Any, misshapen: Collection[str]) -> Any:
    """The part without its misshapen values. misshapen: their paths."""
    if isinstance(value, dict):
        parts = {key: (f"{path}.{key}", inner) for key, inner in value.items()}
        return {key: sound(*part, misshapen) for key, part in parts.items() if part[0] not in misshapen}
    if isinstance(value, list):
        items = [(f"{path}[{index}]", inner) for index, inner in enumerate(value)]
        return [sound(*item, misshapen) for item in items if item[0] not in misshapen]
    return value


def path_of(parts: Iterable[str | int]) -> str:
    """Formats a path for people: link[0].level.mega.primary."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")


def _faults(error: ValidationError) -> Iterator[Fault]:
    parts = tuple(error.absolute_path)
    value: Any = error.instance
    schema: Any = error.schema
    if error.validator == "required":
        # The message is jsonschema's own: "'wager' is a required property".
        yield Fault(path_of((*parts, error.message.split("'")[1])), "is missing")
    elif error.validator == "additionalProperties":
        known = ", ".join(schema["properties"])
        for key in value:
            if key not in schema["properties"]:
                meant = did_you_mean(key, schema["properties"])
                yield Fault(
                    path_of((*parts, key)), f"is not known here{meant}; known are {known}", spoils=False
                )
    else:
        shown = "this" if isinstance(value, dict | list) else repr(value)
        meant = did_you_mean(value, schema["enum"]) if "enum" in schema and isinstance(value, str) else ""
        yield Fault(path_of(parts), f"{shown} is not {schema['description']}{meant}")


def _floats(value: Any, parts: tuple[str | int, ...]) -> Iterator[Fault]:
    """TOML tells 1 from 1.0, JSON Schema does not, and no setting is a float (M1)."""
    if isinstance(value, float) and value.is_integer():
        yield Fault(path_of(parts), f"{value!r} is a float: write a whole number, or money and rates as text")
    nested = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in nested:
        yield from _floats(inner, (*parts, key))
