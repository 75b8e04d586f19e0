"""A machine on which every job breaks must not burn the queue."""

import pytest

from phylon.presets import load_preset
from phylon.spec import parse_group, read_yaml, spec_to_json

pytestmark = pytest.mark.slow

BREAK_TRAINERS = """
import os, sys
if "phylon.worker.training" in sys.orig_argv:
    os._exit(70)
"""
RUNS = 8


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform() as platform:
        yield platform


def worker_named(platform, name: str):
    return next((worker for worker in platform.client.workers() if worker.name == name), None)


def is_present(worker) -> bool:
    return worker is not None and worker.state != "lost"


def test_a_broken_worker_is_quarantined_and_another_finishes_its_queue(platform, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BREAK_TRAINERS)
    path = f"{tmp_path}:{platform.environment.get('PYTHONPATH', '')}"
    broken = platform.other_machine("broken", PYTHONPATH=path)
    platform.worker.end()
    try:
        broken.start()
        platform.wait(lambda: is_present(worker_named(platform, "broken")), "the broken worker to register")
        toy = next(iter(parse_group(read_yaml(load_preset("toy-triangle-smoke").yaml)).experiments.values()))
        experiment = platform.client.submit(spec_to_json(toy) | {"replicates": RUNS})
        platform.wait(lambda: worker_named(platform, "broken").state == "quarantined", "the quarantine", 180.0)
        platform.start_worker()
        for run in experiment.runs:
            assert platform.wait_until_ended(run.id, 600.0).status == "finished"
    finally:
        broken.close()
    found = worker_named(platform, "broken")
    assert "3 different jobs crashed here" in found.reason
    blamed = {job.id for job in found.blamed_for}
    ends = {run.id: platform.client.run(run.id) for run in experiment.runs}
    assert len(blamed) == 3
    assert {id for id, run in ends.items() if run.attempt > 1} == blamed
    assert {run.worker_name for run in ends.values()} == {"first"}


def test_a_worker_on_which_jax_fails_quarantines_itself(platform):
    broken = platform.other_machine("without-jax", XLA_FLAGS="--xla_no_such_flag=1")
    try:
        broken.start()
        platform.wait(lambda: is_present(worker_named(platform, "without-jax")), "it to register", 120.0)
        found = worker_named(platform, "without-jax")
        assert (found.state, found.blamed_for) == ("quarantined", [])
        assert "JAX does not compute on the CPU" in found.reason
    finally:
        broken.close()
