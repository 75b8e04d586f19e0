"""A runtime study through the whole platform: queued, taken by a real worker, measured, stored."""

import pytest

from phylon.spec import parse_study

pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")

SPEC = parse_study(
    {
        **{"version": 1, "name": "tiny", "kind": "runtime_study", "algorithms": ["ddpg"], "frameworks": ["torch"]},
        **{"strategies": ["vectorized"], "population_sizes": [2], "fused_updates": [1], "batch_sizes": [4]},
        **{"hidden": [[4]], "repeats": 2, "warmup_calls": 1, "seconds": 0.01},
    }
)


def test_a_worker_measures_a_study(run_platform):
    with run_platform() as platform:
        [worker] = platform.client.workers()
        study = platform.client.submit_study(SPEC, worker.id)
        platform.wait(lambda: platform.client.study(study.id).status in ("finished", "failed"), "the study", 120.0)
        found = platform.client.study(study.id)
        assert (found.status, found.error, found.done) == ("finished", None, 1)
        [measurement] = found.measurements
        assert measurement.status == "ok", measurement.reason
        assert found.machine.device == "cpu"
        assert found.worker_name == "first"

        endless = platform.client.submit_study(SPEC.model_copy(update={"seconds": 600.0, "repeats": 100}))
        platform.wait(lambda: platform.client.study(endless.id).progress is not None, "its first heartbeat", 120.0)
        assert platform.client.stop_study(endless.id).status == "stopping"
        platform.wait(lambda: platform.client.study(endless.id).status == "stopped", "its end", 120.0)
        platform.wait(lambda: len(platform.idle_workers()) == 1, "the worker to be idle again")
