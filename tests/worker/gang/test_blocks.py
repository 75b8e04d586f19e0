"""Replays and checkpoints of blocks of members are parts of the whole ones."""

from typing import Any

import numpy as np
import pytest

from phylon.run_directory import (
    BlockRecord,
    CheckpointRecord,
    checkpoints_dir,
    latest_checkpoint,
    record_checkpoint,
)
from phylon.worker.core.types import Transition
from phylon.worker.gang.transport import LARGEST, SMALLEST, join, share_among, split
from phylon.worker.replay import FrameReplay, Replay
from phylon.worker.training.checkpoint import Wanted, keep_own, read_arrays, write_arrays

from ..replay.test_frames import MEMBERS, Film, info_of

REPLAYS = [Replay, FrameReplay]


def fill(make: Any, calls: int = 30) -> list[Any]:
    """The replay of all members, and those of each alone."""
    film, info = Film(2, 1), info_of(2)
    whole = make(MEMBERS, 40, info)
    own = [make(1, 40, info, first=member) for member in range(MEMBERS)]
    for _ in range(2):
        batch = film.calls(calls)
        whole.add(batch)
        for member, replay in enumerate(own):
            replay.add(Transition(*(field[member : member + 1] for field in batch)))
        film.cut()
    return [whole, *own]


@pytest.mark.parametrize("make", REPLAYS)
def test_a_member_draws_the_same_in_any_block(make):
    whole, *own = fill(make)
    expected = whole.sample(7, 3, 4, 8)
    for member, replay in enumerate(own):
        for found, all_members in zip(replay.sample(7, 3, 4, 8), expected, strict=True):
            np.testing.assert_array_equal(found[0], all_members[member])


@pytest.mark.parametrize("make", REPLAYS)
def test_a_member_that_came_from_elsewhere_is_a_copy(make):
    whole, first, second = fill(make)
    whole.copy(np.int32([1, 1]))
    row = {name: np.copy(array) for name, array in second.read_member(0).items()}
    first.write_member(0, row)
    for found, expected in zip(first.sample(7, 3, 4, 8), whole.sample(7, 3, 4, 8), strict=True):
        np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("make", REPLAYS)
def test_a_checkpoint_of_blocks_is_read_whole_and_in_other_blocks(make, tmp_path):
    checkpoints_dir(tmp_path).mkdir()
    whole, *own = fill(make)
    weights = np.arange(6, dtype=np.float32).reshape(MEMBERS, 3)
    arrays = [
        {"step": np.array(40), "fitness": np.zeros(MEMBERS), "population/kernel": rows}
        | {f"replay/{name}": array for name, array in replay.to_arrays().items()}
        for rows, replay in zip((weights, weights[:1], weights[1:]), (whole, *own), strict=True)
    ]
    prefixes = ("population/", "replay/")

    def write(number: int, *blocks: tuple[dict[str, Any], range]) -> CheckpointRecord:
        files = [
            write_arrays(tmp_path, number, keep_own(content, Wanted(prefixes, members), not rank), rank)._asdict()
            for rank, (content, members) in enumerate(blocks)
        ]
        first, *others = files
        record = CheckpointRecord(
            number=number, step=40, next_seq=0, **first, blocks=tuple(BlockRecord(**each) for each in others)
        )
        record_checkpoint(tmp_path, record)
        return record

    blocks = [range(0, 1), range(1, 2)]
    in_two = write(3, *zip(arrays[1:], blocks, strict=True))
    in_one = write(2, (arrays[0], range(MEMBERS)))
    for record in (in_one, in_two):
        for expected, members in zip(arrays, [None, *blocks], strict=True):
            found = read_arrays(tmp_path, record, members and Wanted(prefixes, members))
            assert found.keys() == expected.keys()
            for name in expected:
                np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    assert latest_checkpoint(tmp_path) == in_two
    (checkpoints_dir(tmp_path) / "000003.1.npz").write_bytes(b"half")
    assert latest_checkpoint(tmp_path) == in_one, "a checkpoint with a damaged block is passed over"
    write(4, (arrays[0], range(MEMBERS)))
    write(5, (arrays[0], range(MEMBERS)))
    assert not list(checkpoints_dir(tmp_path).glob("000003*")), "blocks go with their checkpoint"


@pytest.mark.parametrize("rows", [[], [b""], [b"a", b"", b"bc" * 5000]])
def test_rows_of_any_length_come_back(rows):
    assert split(join(rows)) == rows


@pytest.mark.parametrize("length", [0, SMALLEST - 8, SMALLEST - 7, LARGEST + 3])
def test_messages_of_any_length_are_shared(length):
    """In one buffer, in two, and in more than fit into the largest."""
    content = np.arange(length, dtype=np.uint8).tobytes()
    assert share_among([0])(content) == [content]
