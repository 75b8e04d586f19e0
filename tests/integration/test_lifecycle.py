"""A real run is paused, resumed, and extended after its end: it comes to what an undisturbed run comes to."""

import pytest

pytestmark = pytest.mark.slow

BUDGET, LARGER = 6000, 8000
PAUSE_STEP = 1000
"""Two checkpoints are behind it, and most of the run before it."""


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform() as platform:
        yield platform


def test_paused_resumed_and_extended(platform, make_spec, read_history):
    client = platform.client
    exact = {"interval": 400, "resume": "exact"}
    run_id = platform.submit(make_spec(budget__env_steps=BUDGET, checkpoint=exact))
    platform.wait_for_run(run_id, lambda run: run.step >= PAUSE_STEP, f"step {PAUSE_STEP}")
    assert client.pause_run(run_id).is_pausing
    platform.wait_for_run(run_id, lambda run: run.status == "paused", "its pause")
    platform.wait(lambda: len(platform.idle_workers()) == 1, "the worker to be free for others")
    between = platform.submit(make_spec(budget__env_steps=400))
    assert platform.wait_until_ended(between).status == "finished"
    assert client.run(run_id).status == "paused"

    assert client.resume_run(run_id).status == "queued"
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step, run.attempt, run.interruptions) == ("finished", BUDGET, 2, []), run.error
    first_result = run.final
    assert first_result is not None

    extended = client.extend_run(run_id, {"env_steps": LARGER})
    assert (extended.status, extended.total_steps) == ("queued", LARGER)
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step, run.attempt, run.interruptions) == ("finished", LARGER, 3, []), run.error

    paused, resumed, last = client.attempts(run_id)
    assert (paused.end, paused.from_step, paused.checkpoint) == ("yielded", 0, None)
    assert (resumed.end, resumed.to_step, resumed.final) == ("finished", BUDGET, first_result)
    assert resumed.from_step is not None and resumed.from_step >= PAUSE_STEP - 400 and resumed.checkpoint is not None
    assert (last.end, last.from_step, last.to_step, last.final) == ("finished", BUDGET, LARGER, run.final)

    undisturbed_id = platform.submit(client.experiment(run.experiment_id).spec | {"budget": run.extended_budget})
    platform.wait_until_ended(undisturbed_id)
    history, undisturbed = read_history(platform, run_id), read_history(platform, undisturbed_id)
    assert history.frames == undisturbed.frames
    assert history.lineage == undisturbed.lineage
    assert history.outcome == undisturbed.outcome


def test_a_lost_checkpoint_falls_back_to_the_one_before(platform, make_spec, read_history):
    exact = {"interval": 400, "resume": "exact"}
    run_id = platform.submit(make_spec(budget__env_steps=BUDGET, checkpoint=exact))
    platform.wait_for_run(run_id, lambda run: run.step >= PAUSE_STEP, f"step {PAUSE_STEP}")
    platform.client.pause_run(run_id)
    platform.wait_for_run(run_id, lambda run: run.status == "paused", "its pause")
    stored = [each for each in platform.client.artifacts(run_id) if each.kind == "checkpoint"]
    assert len(stored) >= 2, "the last two, and the best"
    for path in (platform.folder / "artifacts").rglob(f"*{stored[-1].name}"):
        path.unlink()
    for folder in platform.runs.glob("*/checkpoints"):  # this worker's own copy would save it
        for path in folder.iterdir():
            path.unlink()
    platform.client.resume_run(run_id)
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step, run.attempt) == ("finished", BUDGET, 2), run.error
    assert platform.client.attempts(run_id)[1].from_step == stored[-2].step
    assert any("the one before it has to serve" in line.text for line in platform.client.logs(run_id))
