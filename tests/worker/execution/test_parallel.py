"""Processes that share a population: what they leave alone, how they end, and what is said when one of them fails."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import psutil
import pytest

from phylon.spec import MLPSpec, TD3Spec, hyperparameters
from phylon.spec.experiment import ExecutionSpec
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.execution import Workload, build_execution, checksum
from phylon.worker.execution.parallel import divide_members, parallel

ROOT = Path(__file__).parents[3]
KEY = np.array([1, 2], np.uint32)

TRAINER = """
import os, time
from functools import partial
from phylon.worker.execution.member_process import Group
from phylon.worker.execution.parallel import MemberProcesses

BUSY = "import os, time; print(os.getpid(), flush=True); time.sleep(3600)"

if __name__ == "__main__":
    pool = MemberProcesses([Group(partial(exec, BUSY), range(1), 0, tuple(os.sched_getaffinity(0)), {})])
    time.sleep(3600)
"""


def memory_shared() -> int:
    return sum("memfd:phylon" in line for line in Path("/proc/self/maps").read_text().splitlines())


def start_and_train(setting, recipe, processes: int):
    """An update by processes that cannot do it."""
    execution = parallel(replace(setting.work, recipe=recipe), jax.local_devices()[0], processes)
    population = {"weights": np.ones((4, 2), np.float32)}
    return execution, partial(execution.update, population, setting.hyperparams, setting.batches, KEY, 0)


@pytest.mark.parametrize("execution", ["parallel"], indirect=True)
class TestPopulation:
    def test_what_is_held_stays_as_it_was(self, setting, execution):
        """An actor, a checkpoint that is being written, a JAX array that looks into shared memory."""
        obs, keys = np.ones((4, 1, 3), np.float32), np.zeros((4, 2), np.uint32)
        population = setting.start(execution)
        actor = execution.acting.actor(population, execution.place(setting.hyperparams))
        actions, checkpoint = actor.exploit(obs, keys, 0), jax.device_get(population)
        held, before = jax.device_put(population), jax.tree.map(np.copy, population)
        for number in range(3):
            population, _ = setting.train(execution, population, number)
        assert (checksum(population) != checksum(before)).any(axis=1).all()
        jax.tree.map(np.testing.assert_array_equal, (checkpoint, held), (before, before))
        np.testing.assert_array_equal(actor.exploit(obs, keys, 0), actions)

    def test_memory_does_not_grow(self, setting, execution):
        population, used = setting.start(execution), list[int]()
        for number in range(6):
            population, _ = setting.train(execution, population, number)
            population = execution.gather(population, np.array([1, 1, 2, 3], np.int32))
            used.append(memory_shared())
        assert used[2:] == used[2:3] * 4


def test_numbers_do_not_depend_on_how_members_are_shared_out():
    """With products that are large enough to be shared out themselves, wherever a process has threads for it."""
    info, random = EnvironmentInfo((3,), 2, 100), np.random.default_rng(0)
    spec = TD3Spec(name="td3", batch_size=256, network=MLPSpec(hidden=(256, 256)))
    numbers = {name: float(value) for name, value in hyperparameters(spec).items()}
    work = Workload(partial(build_algorithm, spec, info), info, 2, numbers)
    hyperparams = {name: np.full(2, value, np.float32) for name, value in numbers.items()}
    batches = Transition(*(random.random((2, 2, 256, *shape), np.float32) for shape in ((3,), (2,), (), (), (3,))))
    found: list[np.ndarray] = []
    for processes in (1, 2):
        execution = build_execution("parallel", work, ExecutionSpec(strategy="parallel", processes=processes))
        population, _ = execution.update(execution.init(KEY, hyperparams), hyperparams, batches, KEY, 0)
        found.append(checksum(population))
        execution.close()
    np.testing.assert_array_equal(found[0], found[1])


class TestStart:
    def test_a_process_has_one_device_whatever_its_trainer_has(self, setting):
        """With more it would share its products out to threads that have to wait for the same core."""
        assert jax.local_device_count() > 1
        count = "import jax; raise ValueError(f'devices: {jax.local_device_count()}')"
        execution, train = start_and_train(setting, partial(exec, count), 1)
        with pytest.raises(EngineError, match="devices: 1"):
            train()
        execution.close()


class TestEnd:
    def test_a_killed_process_is_reported_while_others_work(self, setting):
        others, left_before = set(multiprocessing.active_children()), set(os.listdir("/dev/shm"))
        execution, train = start_and_train(setting, partial(time.sleep, 3600), processes=2)
        started = {process.name: process for process in set(multiprocessing.active_children()) - others}
        threading.Timer(0.1, started["members 2 to 3"].kill).start()
        with pytest.raises(
            EngineError, match=r"trains members 2 to 3 was killed.* out of memory.*execution\.processes"
        ):
            train()
        execution.close()
        assert set(multiprocessing.active_children()) == others
        assert set(os.listdir("/dev/shm")) <= left_before

    def test_an_error_is_reported(self, setting):
        execution, train = start_and_train(setting, partial(int, "many"), processes=1)
        with pytest.raises(EngineError, match=r"trains members 0 to 3 failed: ValueError: .*'many'"):
            train()
        execution.close()

    def test_they_end_with_the_trainer(self, tmp_path):
        """Even one that is busy and looks at no pipe."""
        script = tmp_path / "trainer.py"
        script.write_text(TRAINER)
        with subprocess.Popen([sys.executable, script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as trainer:
            assert trainer.stdout
            child = psutil.Process(int(trainer.stdout.readline()))
            trainer.kill()
            assert trainer.stdout.read() == ""  # which it would hold open as long as it lives
        deadline = time.monotonic() + 60  # closing its files is not yet the end of a process
        while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline, "it outlives its trainer"
            time.sleep(0.01)


class TestGroups:
    @pytest.fixture
    def share_out(self, setting, monkeypatch):
        monkeypatch.setattr(os, "sched_getaffinity", lambda process: {4, 5, 6})

        def share_out(size, platform="cpu", processes=None):
            work = replace(setting.work, population_size=size)
            return [
                (group.slots, group.cores)
                for group in divide_members(work, SimpleNamespace(platform=platform, device_kind=""), processes)
            ]

        return share_out

    def test_a_core_for_each(self, share_out):
        assert share_out(7) == [(range(2), (4,)), (range(2, 4), (5,)), (range(4, 7), (6,))]

    def test_cores_that_are_left_over(self, share_out):
        assert share_out(2) == [(range(1), (4,)), (range(1, 2), (5,))]

    def test_more_processes_than_cores(self, share_out):
        assert share_out(4, processes=9) == [
            (range(1), (4,)),
            (range(1, 2), (5,)),
            (range(2, 3), (6,)),
            (range(3, 4), (4,)),
        ]

    def test_an_accelerator_is_shared_by_a_few(self, share_out):
        assert share_out(8, "gpu") == [(range(start, start + 2), (4, 5, 6)) for start in (0, 2, 4, 6)]
        assert len(share_out(3, "gpu")) == 3
