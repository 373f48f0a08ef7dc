"""Worked examples from the regulations, as data; every number was worked out by hand from the sources.

ALL: the EXAMPLES of every module here, in the modules' order.
"""

from importlib import import_module
from pkgutil import iter_modules

from tests.faults.worked.form import Example


def _examples() -> list[Example]:
    names = sorted(module.name for module in iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return [example for module in modules for example in getattr(module, "EXAMPLES", [])]


ALL: list[Example] = _examples()
