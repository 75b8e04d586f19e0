"""The pyramid of a run's metrics: any part of it is what NumPy makes of the raw ticks, before and after a cut."""

import contextlib
import sqlite3

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sqlalchemy import text

from phylon.backend.kit.database import Database
from phylon.backend.metrics import history, repository, sparkline
from phylon.backend.metrics.frames import pack_tick, unpack_tick
from phylon.backend.metrics.grid import ENTRIES, Piece, bucket_ticks, cover, group_size
from phylon.backend.metrics.repository import Tick
from phylon.backend.models import Base

RUN = 1
TICKS = 18_000
"""Enough for a whole row of level 2, and something behind it on every level."""
FLOATS = st.floats(width=32, allow_nan=True, allow_infinity=True)


@pytest.fixture(scope="module")
def raw():
    """[ticks, members] with all that a trainer may report."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(TICKS, 2)).cumsum(axis=0).astype(np.float32)
    for odd in (np.nan, np.inf, -np.inf):
        values[rng.integers(0, TICKS, 300), rng.integers(0, 2, 300)] = odd
    values[5000:5100] = np.nan
    return values


def ticks_of(raw, start, stop):
    return [
        Tick(2 * n + 1, 10 * n, n / 4, {"a": raw[n]} | ({"rare": raw[n, :1]} if n % 50 == 0 else {}))
        for n in range(start, stop)
    ]


@pytest.fixture(scope="module")
def database(raw, tmp_path_factory):
    """In bursts of many sizes, as heartbeats bring them. The tables of metrics are all that it has."""
    file = tmp_path_factory.mktemp("history") / "phylon.db"
    database = Database(f"sqlite:///{file}")
    tables = [table for name, table in Base.metadata.tables.items() if name.startswith("metric_")]
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO runs VALUES (1)")
        connection.commit()
    Base.metadata.create_all(database.engine, tables)
    rng, start = np.random.default_rng(1), 0
    while start < TICKS:
        stop = min(TICKS, start + int(rng.choice([1, 3, 100, 255, 256, 1000])))
        with database.write() as session:
            history.add(session, RUN, ticks_of(raw, start, stop))
        start = stop
    yield database
    database.dispose()


def expected(part, reduce, empty=np.nan):
    numbers = [column[~np.isnan(column)] for column in part.T]
    with np.errstate(invalid="ignore", over="ignore"):
        return np.array([reduce(each.astype(np.float64)) if each.size else empty for each in numbers])


def check(session, raw, start, stop, points):
    group = group_size(stop - start, points)
    found = history.read_buckets(session, RUN, "a", start, stop, group)
    assert len(found.start) <= points
    axis = history.read_axis(session, RUN, start, stop, group)
    assert found.start.tolist() == [number * group for number in range(start // group, (stop - 1) // group + 1)]
    for index, begin in enumerate(found.start.tolist()):
        first, end = max(begin, start), min(begin + group, stop)
        part = raw[first:end]
        assert found.ticks[index] == len(part)
        assert np.array_equal(found.numbers[index], (~np.isnan(part)).sum(axis=0))
        assert np.array_equal(found.low[index], expected(part, np.min), equal_nan=True)
        assert np.array_equal(found.high[index], expected(part, np.max), equal_nan=True)
        np.testing.assert_allclose(found.mean[index], expected(part, np.mean), rtol=1e-5, atol=1e-4)
        assert axis[begin // group] == (10 * (end - 1), (end - 1) / 4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ends=st.tuples(st.integers(0, TICKS), st.integers(0, TICKS)), points=st.integers(2, 60))
def test_any_range_is_what_numpy_makes_of_the_raw_ticks(database, raw, ends, points):
    start, stop = sorted(ends)
    if start == stop:
        return
    with database.read() as session:
        check(session, raw, start, stop, points)
        near = min(stop, start + 700)
        page = history.read_ticks(session, RUN, "a", start, near)
        assert np.array_equal(page.values, raw[start:near], equal_nan=True)
        assert page.steps.tolist() == list(range(10 * start, 10 * near, 10))
        for by, scale in (("step", 10), ("wall", 0.25)):
            assert history.find_tick(session, RUN, by, start * scale, after=False) == start
            assert history.find_tick(session, RUN, by, (stop - 1) * scale, after=True) == stop


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, TICKS), more=st.sampled_from([0, 1, 600]))
def test_a_cut_anywhere_leaves_what_came_before(database, raw, cut, more):
    with contextlib.suppress(_Undo), database.write() as session:
        history.cut(session, RUN, 2 * cut + 1)
        assert history.count(session, RUN) == cut
        last = min(TICKS, cut + more)
        history.add(session, RUN, ticks_of(raw, cut, last))
        if last:
            check(session, raw, 0, last, 40)
            summary = repository.summaries(session, RUN)["a"]
            assert (summary.ticks, summary.last_step) == (last, 10 * (last - 1))
            assert (summary.low, summary.high) == (np.nanmin(raw[:last]), np.nanmax(raw[:last]))
            rare = history.whole(session, RUN, "rare")
            assert rare.steps.tolist() == list(range(0, 10 * last, 500))
            before = history.frame_before(session, RUN, "rare", 2 * last)
            assert np.array_equal(before, raw[(last - 1) // 50 * 50, :1], equal_nan=True)
        else:
            assert repository.names(session, RUN) == []
        whole_rows = [
            session.scalar(text(f"SELECT count(*) FROM metric_{table} WHERE level = {level}"))
            for level in (1, 2)
            for table in ("axes", "columns")
        ]
        rows = [last // (ENTRIES * bucket_ticks(level)) for level in (1, 2)]
        assert whole_rows == [rows[0], 2 * rows[0], rows[1], 2 * rows[1]]
        raise _Undo


class _Undo(Exception):
    pass


def test_an_end_compacts_the_rest_and_what_follows_takes_it_apart(database, raw):
    with contextlib.suppress(_Undo), database.write() as session:
        history.close(session, RUN)
        assert repository.count_ticks(session, RUN) == 0 and repository.compacted(session, RUN) == TICKS
        check(session, raw, 100, TICKS, 50)
        frames = history.frames_of(session, RUN, [2 * TICKS - 1, 2 * TICKS - 1 - 600])
        assert np.array_equal(frames[2 * TICKS - 1]["a"], raw[-1], equal_nan=True)
        history.add(session, RUN, [Tick(2 * TICKS + 1, 10 * TICKS, TICKS / 4, {"a": raw[0]})])
        assert history.count(session, RUN) == TICKS + 1
        raise _Undo


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 12), st.integers(0, 10**6))
def test_pieces_follow_each_other_and_keep_within_groups(start, ticks, power, compacted):
    stop, group = start + ticks, 2**power
    pieces = cover(start, stop, group, compacted)
    assert [piece.start for piece in pieces] == [start, *(piece.stop for piece in pieces[:-1])]
    assert pieces[-1].stop == stop
    for level, begin, end in pieces:
        size = bucket_ticks(level)
        assert size <= group and begin % size == 0 and end % size == 0
        assert level == 0 or end <= compacted // (ENTRIES * size) * ENTRIES * size
    assert len(list(Piece(0, 255, 257).rows)) == 2


@settings(max_examples=25, deadline=None)
@given(st.lists(FLOATS, max_size=200))
def test_a_sparkline_is_the_same_whether_it_grew_or_was_drawn(values):
    best = np.array(values, np.float32)
    grown = sparkline.EMPTY
    for value in best:
        grown = sparkline.grow(grown, float(value))
    drawn = sparkline.draw(best)
    assert len(drawn.values) <= sparkline.POINTS and grown.evaluations == drawn.evaluations == len(best)
    assert np.array_equal(grown.values, drawn.values, equal_nan=True)
    numbers = best[~np.isnan(best)]
    assert not numbers.size or np.nanmax(drawn.values) == numbers.max()


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.text(max_size=9), arrays.arrays(np.float32, st.integers(0, 9), elements=FLOATS), max_size=4))
def test_a_tick_survives_its_bytes(frames):
    found = unpack_tick(pack_tick(frames))
    assert list(found) == list(frames)
    assert all(np.array_equal(found[name], frames[name], equal_nan=True) for name in frames)
