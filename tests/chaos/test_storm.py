"""Two minutes of storm. `make chaos` makes an hour of it; `CHAOS_SEED=n` repeats another storm here."""

import os

import pytest

from tests import conftest
from tests.chaos.aftermath import assert_all_is_well
from tests.chaos.fleet import Fleet
from tests.chaos.plan import FAULTS, make_plan
from tests.chaos.storm import rage, read_undisturbed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

SEED = int(os.environ.get("CHAOS_SEED", "1"))


def test_a_storm_changes_nothing(tmp_path, compile_cache):
    pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")
    fleet = Fleet(tmp_path, compile_cache)
    conftest.RUNNING.append(fleet)
    try:
        fleet.start()
        undisturbed = read_undisturbed(fleet)
        plan = make_plan(SEED, FAULTS, fleet.has_small_disks)
        print(plan)
        story = rage(fleet, plan, print)
        print(f"{story.seconds:.0f} s; attempts ended: {dict(story.ends)}")
        assert len(story.struck) > FAULTS / 2, "this was no storm"
        assert_all_is_well(fleet, story.jobs, undisturbed)
    finally:
        fleet.close()
        conftest.RUNNING.remove(fleet)
    assert fleet.own_processes() == []
