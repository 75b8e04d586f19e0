"""Pages of lists. A cursor names the last item of a page, so that items which come and go shift nothing.

Readers get cursors as opaque text: what stands in one may change with any version.
"""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TypeVar

from phylon.backend.kit.errors import Invalid
from phylon.backend.kit.parameters import LARGEST
from phylon.contract.base import Page

Item = TypeVar("Item")
Row = TypeVar("Row")


class CursorInvalid(Invalid):
    """The cursor was not made by this service."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"'{cursor}' is not a cursor.", "Pass the `next` of a page as `after`, exactly as it came.")


def encode(key: int) -> str:
    return base64.urlsafe_b64encode(str(key).encode()).decode().rstrip("=")


def decode(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    try:
        key = int(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        raise CursorInvalid(cursor) from None
    if not 0 <= key <= LARGEST:
        raise CursorInvalid(cursor)
    return key


def next_cursor(rows: Sequence[Row], limit: int, key: Callable[[Row], int]) -> str | None:
    """`rows` are those found when one more than `limit` was asked for: only then is it known whether more follow."""
    return encode(key(rows[limit - 1])) if len(rows) > limit else None


def page_of(
    items: Sequence[Item], limit: int, after: str | None, key: Callable[[Item], int] | None = None
) -> Page[Item]:
    """A page of a list that is at hand as a whole, sorted by `key`; without `key`, a list that never changes."""
    last = decode(after)
    keyed = [(place if key is None else key(item), item) for place, item in enumerate(items)]
    following = [pair for pair in keyed if last is None or pair[0] > last]
    return Page(
        items=[item for _, item in following[:limit]],
        total=len(items),
        next=next_cursor(following, limit, lambda pair: pair[0]),
    )
