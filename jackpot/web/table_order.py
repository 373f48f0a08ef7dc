"""Order of a table on a page.

Its address says the order: `sort=NAME`, or `sort=-NAME` for the largest first. The head of each column is a
link that needs no script; the server sorts.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from aiohttp import web

from jackpot.reports.output import in_order

# The parameter of an address.
SORT: Final = "sort"
# Parameters that do not go along into another order: the order itself, the place in the list, what was said.
_OF_ONE_PAGE: Final = frozenset({SORT, "skip", "said", "word"})

Key = Callable[[Any], Any]


class TableOrder(NamedTuple):
    """Order of the rows. by: a column, "" for the page's own order. falling: the largest first.

    query: the rest of the address.
    """

    by: str
    falling: bool
    query: tuple[tuple[str, str], ...] = ()

    @property
    def asked(self) -> str:
        """The parameter's value."""
        return f"{'-' if self.falling else ''}{self.by}"

    def link(self, name: str) -> str:
        """The address of the page in the order of that column; once more, the other way round."""
        turned = f"-{name}" if self.by == name and not self.falling else name
        return "?" + urlencode([*self.query, (SORT, turned)])

    def direction(self, name: str) -> str:
        """The value of `aria-sort`; "" for a column by which nothing is sorted."""
        return "" if self.by != name else "descending" if self.falling else "ascending"

    def sorted(self, rows: Iterable[Any], keys: Mapping[str, Key]) -> list[Any]:
        """The rows in this order. Rows without a value come last; equal ones stay as they are."""
        key = keys.get(self.by)
        if key is None:
            return list(rows)
        return in_order(rows, key, falling=self.falling)


def order_of(request: web.Request) -> TableOrder:
    """The order that an address asks for."""
    asked = request.query.get(SORT, "")
    rest = tuple((name, value) for name, value in request.query.items() if name not in _OF_ONE_PAGE)
    return TableOrder(asked.removeprefix("-"), asked.startswith("-"), rest)
