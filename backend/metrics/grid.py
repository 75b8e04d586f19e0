"""Which ticks lie in which row. Ticks of a run are numbered 0, 1, 2, … whatever names they have.

A row has 256 entries. At level 0 an entry is a tick; above, it is a bucket: of 16 ticks at level 1, and of four buckets
of the level below from there on. A row above level 0 is written once, when all of its ticks are there, and never
changed. So what is not covered by a level yet is covered by the levels below it, and the newest ticks are not
compacted at all.
"""

from typing import NamedTuple

ENTRIES = 256
"""Of a row. Positions in a row fit in a byte."""
_FIRST_BUCKET = 16
_FACTOR = 4


def bucket_ticks(level: int) -> int:
    """Ticks of one entry: always a power of two, and a divisor of the next level's."""
    return 1 if level == 0 else _FIRST_BUCKET * _FACTOR ** (level - 1)


def row_ticks(level: int) -> int:
    return ENTRIES * bucket_ticks(level)


def completed(ticks: int) -> list[int]:
    """The levels above 0 that have a new row when the number of compacted ticks becomes `ticks`, from below."""
    found: list[int] = []
    level = 1
    while ticks and ticks % row_ticks(level) == 0:
        found.append(level)
        level += 1
    return found


def levels(ticks: int) -> int:
    """How many levels have rows when so many ticks are compacted; level 0 among them."""
    level = 1
    while row_ticks(level) <= ticks:
        level += 1
    return level


def group_size(ticks: int, points: int) -> int:
    """Ticks of each group so that `ticks` of them, beginning anywhere, make at most `points` groups.

    A power of two: groups of a growing run stay the same until there are too many, and then join two by two.
    """
    size = 1
    while (ticks - 1) // size + 2 > points and size < ticks:
        size *= 2
    return size


class Piece(NamedTuple):
    """Ticks `start` to `stop` (without it), by entries of one level."""

    level: int
    start: int
    stop: int

    @property
    def rows(self) -> range:
        size = row_ticks(self.level)
        return range(self.start // size, (self.stop - 1) // size + 1)


def cover(start: int, stop: int, group: int, compacted: int) -> list[Piece]:
    """Entries that together are exactly these ticks, in order, none across a border between groups of that size."""
    level = 0
    while bucket_ticks(level + 1) <= group:
        level += 1
    return _cover(start, stop, level, compacted)


def _cover(start: int, stop: int, level: int, compacted: int) -> list[Piece]:
    if start >= stop:
        return []
    if level == 0:
        return [Piece(0, start, stop)]
    size, row = bucket_ticks(level), row_ticks(level)
    inner_start = -(-start // size) * size
    inner_stop = min(stop // size * size, compacted // row * row)
    if inner_start >= inner_stop:
        return _cover(start, stop, level - 1, compacted)
    return [
        *_cover(start, inner_start, level - 1, compacted),
        Piece(level, inner_start, inner_stop),
        *_cover(inner_stop, stop, level - 1, compacted),
    ]
