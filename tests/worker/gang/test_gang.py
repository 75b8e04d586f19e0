"""What can be said in a gang, by threads that pass bytes to each other: exact, and the same everywhere."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from phylon.spec import parse_spec
from phylon.worker.core.errors import EngineError
from phylon.worker.execution.auto import Chosen
from phylon.worker.gang.gang import ALONE, Gang, GangDiffers, Move, agree, bring, collect, compare, everywhere, gather
from phylon.worker.gang.transport import exchange_collectively
from phylon.worker.training import assembly
from phylon.worker.training.moving import find_moves

from .test_equal import BASE

SIZE = 3


def in_gang(run: Callable[[Gang], Any]) -> list[Any]:
    """What each member of a gang of threads returns, or raises."""
    barrier, passed = threading.Barrier(SIZE, timeout=60), [b""] * SIZE

    def share(rank: int, own: bytes) -> list[bytes]:
        passed[rank] = own
        barrier.wait()
        everything = list(passed)
        barrier.wait()
        return everything

    def one(rank: int) -> Any:
        own = partial(share, rank)
        try:
            return run(Gang(rank, SIZE, own, partial(exchange_collectively, rank, own)))
        except EngineError as error:
            return error

    with ThreadPoolExecutor(SIZE) as threads:
        return list(threads.map(one, range(SIZE)))


def test_gathers_uneven_blocks_to_the_bit():
    numbers = np.array([-0.0, np.nan, 1e-42, np.inf, 3.0], np.float32)
    numbers[1:2].view(np.uint32)[:] |= 1  # a payload that arithmetic would lose
    tree = {"returns": np.stack([numbers, numbers], axis=1).astype(np.float64), "is_set": numbers > 0, "words": numbers}
    blocks = [slice(0, 2), slice(2, 4), slice(4, 5)]
    for found in in_gang(lambda gang: gather(gang, {name: rows[blocks[gang.rank]] for name, rows in tree.items()})):
        assert found.keys() == tree.keys()
        for name, rows in tree.items():
            assert found[name].dtype == rows.dtype and found[name].shape == rows.shape
            assert found[name].tobytes() == rows.tobytes()


def test_the_first_decides():
    assert in_gang(lambda gang: agree(gang, [gang.rank, None, 0.1])) == [[0, None, 0.1]] * SIZE
    assert in_gang(lambda gang: collect(gang, gang.rank)) == [[0, 1, 2]] * SIZE


def test_whoever_has_it_brings_it():
    weights = {"kernel": np.float32([[1, 2]])}
    for found in in_gang(lambda gang: bring(gang, weights if gang.rank == 1 else {})):
        np.testing.assert_array_equal(found["kernel"], weights["kernel"])


def test_a_difference_is_noticed_by_all():
    assert in_gang(lambda gang: compare(gang, "the plan", np.zeros(3))) == [None] * SIZE
    for error in in_gang(lambda gang: compare(gang, "the plan", np.float32([0, -0.0 if gang.rank == 2 else 0]))):
        assert isinstance(error, GangDiffers)
        assert "the plan came out differently in process 0" in error.message and "and process 2 (" in error.message


def test_what_one_lacks_is_the_failure_of_all():
    def make(rank: int) -> int:
        if rank == 1:
            raise EngineError("'envpool' is not installed", "pip install it")
        return rank

    errors = in_gang(lambda gang: everywhere(gang, lambda: make(gang.rank)))
    assert all(isinstance(error, EngineError) and error.remedy == "pip install it" for error in errors)
    assert "process 1 on host" in errors[0].message
    assert in_gang(lambda gang: everywhere(gang, lambda: gang.rank)) == [0, 1, 2]


@pytest.mark.parametrize("failing", [0, 1])
def test_a_strategy_that_one_cannot_have_nobody_has(failing: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The first measures for all, and the others build what it found; whoever fails, nobody waits for it."""
    broken = EngineError("the process that trains member 3 was killed", "fewer processes")
    here = threading.local()

    def choose(*_: Any) -> Chosen:
        if failing == 0:
            raise broken
        return Chosen(cast(Any, SimpleNamespace(strategy="parallel", devices=[])), "it is the fastest")

    def build(*_: Any) -> Any:
        if here.rank == failing:
            raise broken
        return SimpleNamespace(strategy="parallel", devices=[])

    monkeypatch.setattr(assembly, "choose", choose)
    monkeypatch.setattr(assembly, "build_execution", build)
    spec = parse_spec(BASE)
    work, experience = cast(Any, SimpleNamespace(population_size=2)), cast(Any, SimpleNamespace(at_once=1))

    def run(gang: Gang) -> Any:
        here.rank = gang.rank
        return assembly.recall_or_choose(spec, work, experience, tmp_path, tmp_path, gang)

    errors = in_gang(run)
    assert [error.remedy for error in errors] == ["fewer processes"] * SIZE
    assert [error.message.startswith(f"process {failing} on host") for error in errors] == [
        rank != failing for rank in range(SIZE)
    ]


def test_members_go_to_each_process_that_wants_them_once():
    parents = np.int32([4, 1, 4, 4, 4, 0, 0])  # blocks: 0 to 2, 3 and 4, 5 and 6
    moves = find_moves(ALONE._replace(size=SIZE), parents)
    assert moves == [Move(0, 0, 2), Move(4, 1, 0)]
    came = in_gang(lambda gang: gang.exchange(moves, lambda slot: bytes([slot, gang.rank]) * (slot + 1)))
    assert came == [{4: bytes([4, 1]) * 5}, {}, {0: bytes([0, 0])}]


def test_alone_nothing_is_said():
    """Nor copied, nor moved to the host."""
    rows = object()
    assert gather(ALONE, rows) is rows and agree(ALONE, rows) is rows
    with pytest.raises(EngineError):
        everywhere(ALONE, partial(_fail, EngineError("a", "b")))


def _fail(error: Exception) -> None:
    raise error
