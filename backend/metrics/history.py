"""Writes and reads the history of a run's metrics.

Ticks are stored as they come. As soon as there are 256, they become a row of compacted columns, in the same
transaction, so that a tick is always in exactly one of both. `close` compacts the rest when a run ends; whatever comes
after that, or cuts the history back, takes the unfinished row apart again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from phylon.backend.metrics import repository, summaries
from phylon.backend.metrics.columns import (
    Axis,
    decode_buckets,
    decode_ticks,
    encode_axis,
    encode_buckets,
    encode_ticks,
)
from phylon.backend.metrics.frames import Frame
from phylon.backend.metrics.grid import ENTRIES, Piece, bucket_ticks, completed, cover, levels, row_ticks
from phylon.backend.metrics.pyramid import Buckets, choose, join, merge, of_ticks
from phylon.backend.metrics.repository import ColumnRow, Tick


class Page(NamedTuple):
    """Some ticks of one name, in order."""

    seqs: NDArray[np.int64]
    steps: NDArray[np.int64]
    walls: NDArray[np.float64]
    values: NDArray[np.float32]
    """[ticks, members]"""


def add(session: Session, run_id: int, fresh: Sequence[Tick]) -> None:
    """The caller holds the run's lock, and these follow all that is stored."""
    if not fresh:
        return
    summaries.note(session, run_id, fresh)
    compacted = repository.compacted(session, run_id)
    if compacted % ENTRIES:
        _take_apart(session, run_id, compacted // ENTRIES)
        compacted -= compacted % ENTRIES
    if repository.count_ticks(session, run_id) + len(fresh) < ENTRIES:
        repository.add_ticks(session, run_id, fresh)
        return
    waiting = [*repository.ticks(session, run_id), *fresh]
    repository.remove_ticks(session, run_id, 0)
    while len(waiting) >= ENTRIES:
        _write_row(session, run_id, compacted // ENTRIES, waiting[:ENTRIES])
        waiting = waiting[ENTRIES:]
        compacted += ENTRIES
        for level in completed(compacted):
            _write_level(session, run_id, level, compacted // row_ticks(level) - 1)
    repository.add_ticks(session, run_id, waiting)


def close(session: Session, run_id: int) -> None:
    """Compact what is left: the run has ended."""
    rest = repository.ticks(session, run_id)
    if rest:
        _write_row(session, run_id, repository.compacted(session, run_id) // ENTRIES, rest)
        repository.remove_ticks(session, run_id, 0)


def cut(session: Session, run_id: int, from_seq: int) -> None:
    """Forget every tick from that event on."""
    row = repository.first_row(session, run_id, "seq", from_seq)
    if row is not None:
        _take_apart(session, run_id, row)
    repository.remove_ticks(session, run_id, from_seq)
    summaries.cut(session, run_id, from_seq, lambda name: _summarise(session, run_id, name))


def _take_apart(session: Session, run_id: int, row: int) -> None:
    """The ticks of this row of level 0 are as if never compacted; all that follows or builds on it is gone."""
    names = repository.names(session, run_id)
    ticks = _ticks_of_row(session, run_id, names, row)
    for level in range(levels(repository.compacted(session, run_id))):
        repository.remove_rows(session, run_id, names, level, row * ENTRIES // row_ticks(level))
    repository.add_ticks(session, run_id, ticks)


def _ticks_of_row(session: Session, run_id: int, names: Sequence[str], row: int) -> list[Tick]:
    rows = range(row, row + 1)
    [(_, axis)] = repository.axes(session, run_id, 0, rows)
    frames: list[dict[str, Frame]] = [{} for _ in axis.seqs]
    for name, _, data in repository.columns(session, run_id, names, 0, rows):
        positions, values = decode_ticks(data)
        for position, frame in zip(positions.tolist(), values, strict=True):
            frames[position][name] = frame
    return [
        Tick(*place) for place in zip(axis.seqs.tolist(), axis.steps.tolist(), axis.walls.tolist(), frames, strict=True)
    ]


def _write_row(session: Session, run_id: int, row: int, ticks: Sequence[Tick]) -> None:
    axis = Axis(
        np.array([tick.seq for tick in ticks], np.int64),
        np.array([tick.step for tick in ticks], np.int64),
        np.array([tick.wall for tick in ticks], np.float64),
    )
    repository.add_axis(session, run_id, 0, row, len(ticks), axis, encode_axis(axis))
    names = dict.fromkeys(name for tick in ticks for name in tick.frames)
    repository.add_columns(session, run_id, 0, (ColumnRow(name, row, _column(name, ticks)) for name in names))


def _column(name: str, ticks: Sequence[Tick]) -> bytes:
    positions = [position for position, tick in enumerate(ticks) if name in tick.frames]
    return encode_ticks(np.array(positions), _matrix([ticks[position].frames[name] for position in positions]))


def _write_level(session: Session, run_id: int, level: int, row: int) -> None:
    """A row of buckets, from the rows below it, all of which are there."""
    factor = row_ticks(level) // row_ticks(level - 1)
    below = range(row * factor, (row + 1) * factor)
    parts: dict[str, list[Buckets]] = {}
    for name, number, data in repository.columns(session, run_id, repository.names(session, run_id), level - 1, below):
        parts.setdefault(name, []).append(decode_buckets(data, level - 1, number))
    size = bucket_ticks(level)
    rows = (ColumnRow(name, row, encode_buckets(merge(join(each), size), level)) for name, each in parts.items())
    repository.add_columns(session, run_id, level, rows)
    axes = [axis for _, axis in repository.axes(session, run_id, level - 1, below)]
    stride = size // bucket_ticks(level - 1)
    axis = Axis(*(np.concatenate(each)[stride - 1 :: stride] for each in zip(*axes, strict=True)))
    repository.add_axis(session, run_id, level, row, row_ticks(level), axis, encode_axis(axis))


def _page(axis: Axis, positions: NDArray[np.int64], values: NDArray[np.float32]) -> Page:
    return Page(axis.seqs[positions], axis.steps[positions], axis.walls[positions], values)


def _stack(parts: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """[ticks, members]; a part with fewer members has NaN for the others."""
    matrix = np.full((sum(map(len, parts)), max((part.shape[1] for part in parts), default=0)), np.nan, np.float32)
    start = 0
    for part in parts:
        matrix[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return matrix


def _matrix(frames: Sequence[Frame]) -> NDArray[np.float32]:
    """[ticks, members]; a frame with fewer values has NaN for the others."""
    if len({len(frame) for frame in frames}) == 1:
        return np.stack(frames)
    return _stack([frame[np.newaxis] for frame in frames])


def pages(session: Session, run_id: int, name: str) -> Iterator[Page]:
    """Every tick that has the name, in order, a row at a time."""
    compacted = repository.compacted(session, run_id)
    for row in range(-(-compacted // ENTRIES)):
        yield from _pages_of_rows(session, run_id, name, range(row, row + 1))
    yield from _open_page(repository.ticks(session, run_id), name)


def all_ticks(session: Session, run_id: int) -> Iterator[list[Tick]]:
    """Every tick with all of its names, in order, a row at a time."""
    names = repository.names(session, run_id)
    for row in range(-(-repository.compacted(session, run_id) // ENTRIES)):
        yield _ticks_of_row(session, run_id, names, row)
    yield repository.ticks(session, run_id)


def _pages_of_rows(session: Session, run_id: int, name: str, rows: range) -> Iterator[Page]:
    columns = repository.columns(session, run_id, [name], 0, rows)
    axes = dict(repository.axes(session, run_id, 0, rows)) if columns else {}
    for _, row, data in columns:
        positions, values = decode_ticks(data)
        yield _page(axes[row], positions, values)


def _open_page(ticks: Sequence[Tick], name: str) -> Iterator[Page]:
    having = [tick for tick in ticks if name in tick.frames]
    if having:
        yield Page(
            np.array([tick.seq for tick in having], np.int64),
            np.array([tick.step for tick in having], np.int64),
            np.array([tick.wall for tick in having], np.float64),
            _matrix([tick.frames[name] for tick in having]),
        )


def whole(session: Session, run_id: int, name: str) -> Page:
    return _join_pages(pages(session, run_id, name))


def read_ticks(session: Session, run_id: int, name: str, start: int, stop: int) -> Page:
    """Those of the ticks `start` to `stop` (without it) that have the name, as they were reported."""
    compacted = repository.compacted(session, run_id)
    parts: list[Page] = []
    if start < min(stop, compacted):
        rows = Piece(0, start, min(stop, compacted)).rows
        axes = dict(repository.axes(session, run_id, 0, rows))
        for _, row, data in repository.columns(session, run_id, [name], 0, rows):
            positions, values = decode_ticks(data)
            chosen = slice(*np.searchsorted(positions, [start - row * ENTRIES, stop - row * ENTRIES]).tolist())
            parts.append(_page(axes[row], positions[chosen], values[chosen]))
    if stop > compacted:
        ticks = repository.ticks(session, run_id)[max(0, start - compacted) : stop - compacted]
        parts += _open_page(ticks, name)
    return _join_pages(parts)


def _join_pages(found: Iterable[Page]) -> Page:
    parts = list(found)
    if len(parts) == 1:
        return parts[0]
    none = np.empty(0, np.int64)
    return Page(
        np.concatenate([none, *(part.seqs for part in parts)]),
        np.concatenate([none, *(part.steps for part in parts)]),
        np.concatenate([np.empty(0), *(part.walls for part in parts)]),
        _stack([part.values for part in parts]),
    )


def frame_before(session: Session, run_id: int, name: str, seq: int) -> Frame | None:
    """The newest that an event before this one brought."""
    for tick in reversed(repository.ticks(session, run_id)):
        if tick.seq < seq and name in tick.frames:
            return tick.frames[name]
    row = repository.first_row(session, run_id, "seq", seq)
    before = repository.compacted(session, run_id) if row is None else row + 1
    while (column := repository.newest_column(session, run_id, name, before)) is not None:
        for page in _pages_of_rows(session, run_id, name, range(column.row, column.row + 1)):
            found = int(np.searchsorted(page.seqs, seq))
            if found:
                return page.values[found - 1]
        before = column.row
    return None


def frames_of(session: Session, run_id: int, seqs: Sequence[int]) -> dict[int, dict[str, Frame]]:
    """All that these events brought, by event; they are near each other."""
    low, high = min(seqs), max(seqs)
    found = {tick.seq: tick.frames for tick in repository.ticks(session, run_id) if low <= tick.seq <= high}
    first = repository.first_row(session, run_id, "seq", low)
    if first is not None:
        last = repository.first_row(session, run_id, "seq", high)
        stop = repository.compacted(session, run_id) // ENTRIES if last is None else last
        names = repository.names(session, run_id)
        for row in range(first, stop + 1):
            found |= {tick.seq: tick.frames for tick in _ticks_of_row(session, run_id, names, row)}
    return found


def find_tick(session: Session, run_id: int, by: Literal["step", "wall"], value: float, after: bool) -> int:
    """Number of the first tick at or beyond `value`; with `after`, of the first beyond it."""
    # Steps stay whole numbers: Postgres would not use the index to compare them with others.
    wanted = value if not after else value + 1 if by == "step" else float(np.nextafter(value, np.inf))
    row = repository.first_row(session, run_id, by, wanted)
    if row is None:
        places = [getattr(tick, by) for tick in repository.ticks(session, run_id)]
        start = repository.compacted(session, run_id)
    else:
        [(_, axis)] = repository.axes(session, run_id, 0, range(row, row + 1))
        places, start = axis.steps if by == "step" else axis.walls, row * ENTRIES
    return start + int(np.searchsorted(places, wanted))


def count(session: Session, run_id: int) -> int:
    return repository.compacted(session, run_id) + repository.count_ticks(session, run_id)


def read_buckets(session: Session, run_id: int, name: str, start: int, stop: int, group: int) -> Buckets:
    """What these ticks come to, in groups of so many of them; each group begins at a multiple of its size."""
    compacted = repository.compacted(session, run_id)
    parts = [
        part
        for piece in cover(start, min(stop, compacted), group, compacted)
        for part in _buckets_of(session, run_id, name, piece)
    ]
    if stop > compacted:
        ticks = repository.ticks(session, run_id)[max(0, start - compacted) : stop - compacted]
        places = [place for place, tick in enumerate(ticks, max(start, compacted)) if name in tick.frames]
        if places:
            values = _matrix([tick.frames[name] for tick in ticks if name in tick.frames])
            parts.append(of_ticks(np.array(places, np.int64), values))
    return merge(join(parts), group)


def _buckets_of(session: Session, run_id: int, name: str, piece: Piece) -> Iterator[Buckets]:
    for _, row, data in repository.columns(session, run_id, [name], piece.level, piece.rows):
        yield choose(decode_buckets(data, piece.level, row), piece.start, piece.stop)


def read_axis(session: Session, run_id: int, start: int, stop: int, group: int) -> dict[int, tuple[int, float]]:
    """Step and time of the last tick of each group, by the number of the group."""
    compacted = repository.compacted(session, run_id)
    found: dict[int, tuple[int, float]] = {}
    for piece in cover(start, min(stop, compacted), group, compacted):
        size = bucket_ticks(piece.level)
        for row, axis in repository.axes(session, run_id, piece.level, piece.rows):
            begins = row * row_ticks(piece.level) + np.arange(len(axis.steps)) * size
            chosen = slice(*np.searchsorted(begins, [piece.start, piece.stop]).tolist())
            places = zip(axis.steps[chosen].tolist(), axis.walls[chosen].tolist(), strict=True)
            found |= zip((begins[chosen] // group).tolist(), places, strict=True)
    if stop > compacted:
        ticks = repository.ticks(session, run_id)[max(0, start - compacted) : stop - compacted]
        for number, tick in enumerate(ticks, max(start, compacted)):
            found[number // group] = (tick.step, tick.wall)
    return found


def _summarise(session: Session, run_id: int, name: str) -> summaries.Extremes:
    """Of all that is stored under the name."""
    ticks = count(session, run_id)
    buckets = read_buckets(session, run_id, name, 0, ticks, 1 << ticks.bit_length())
    return summaries.Extremes(
        int(buckets.ticks.sum()),
        float(np.fmin.reduce(buckets.low, axis=None, initial=np.nan)),
        float(np.fmax.reduce(buckets.high, axis=None, initial=np.nan)),
        *_newest(session, run_id, name),
    )


def _newest(session: Session, run_id: int, name: str) -> tuple[int, Frame]:
    pages = list(_open_page(repository.ticks(session, run_id), name))
    if not pages:
        column = repository.newest_column(session, run_id, name, repository.compacted(session, run_id))
        assert column is not None, f"run {run_id} has a summary of '{name}' and no tick of it"
        pages = list(_pages_of_rows(session, run_id, name, range(column.row, column.row + 1)))
    return int(pages[-1].steps[-1]), pages[-1].values[-1]
