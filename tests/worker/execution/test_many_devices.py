"""No device is idle that could work, and nobody's numbers depend on how many there are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from phylon.worker.execution.compilation import Shares

CASES = [(1, 8), (2, 1), (3, 2), (5, 3), (8, 4), (13, 8)]
"""(members, devices)"""
REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def found():
    """What a process with eight devices makes of all cases; in this one there are two."""
    flags = os.environ["XLA_FLAGS"].replace("device_count=2", "device_count=8")
    assert flags != os.environ["XLA_FLAGS"]
    command = [sys.executable, str(Path(__file__).with_name("forced_devices.py")), json.dumps(CASES)]
    done = subprocess.run(
        command, env=os.environ | {"XLA_FLAGS": flags}, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


@pytest.fixture(params=range(len(CASES)), ids=[f"{members} on {devices}" for members, devices in CASES])
def case(request, found):
    return *CASES[request.param], found["cases"][request.param]


def test_every_device_that_can_shorten_the_work_has_a_share_of_it(case):
    members, devices, run = case
    longest = -(-members // devices)
    by_device = [run["computed_by"].count(device) for device in range(run["devices"])]
    assert max(by_device) == longest
    assert by_device[:-1] == [longest] * (len(by_device) - 1)
    assert 0 < by_device[-1] <= longest


def test_members_are_trained_bit_for_bit_as_one_after_the_other(case, found):
    members, _, run = case
    assert run["weights"] == found["sequential"]["weights"][:members]


def test_nobody_sees_the_copies_that_fill_up_a_share(case):
    members, _, run = case
    assert run["rows"] == [members]
    assert len(run["weights"]) == len(run["computed_by"]) == members
    assert run["rates"]
    assert run["over_rows"] == list(range(0, 4 * members, 2))


def test_members_move_whole_and_stay_where_members_live(case):
    _, _, run = case
    assert run["gathered"] == run["weights"][::-1]
    assert run["stays"]


@pytest.mark.parametrize("available", [1, 2, 3, 4, 8, 9])
def test_shares(available):
    for members in range(1, 40):
        shares = Shares.of(members, available)
        assert shares.each == -(-members // available)  # nothing is faster
        assert (shares.devices - 1) * shares.each < members <= shares.devices * shares.each  # nobody has only copies
        assert shares.are_even == (members == shares.devices * shares.each)
