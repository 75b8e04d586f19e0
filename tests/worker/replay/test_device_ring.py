"""A ring on the device holds and gives, to the bit, what a ring in host memory does."""

from functools import partial

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from phylon.worker.core.types import EnvironmentInfo, Rollout, Transition
from phylon.worker.replay import Replay, device_ring
from phylon.worker.replay.device_ring import empty_rings
from phylon.worker.replay.steps import window_of

MEMBERS = 2
WHERE = jax.sharding.SingleDeviceSharding(jax.devices()[0])


class Both:
    """The two rings, to which the same is done."""

    def __init__(self, envs, capacity, calls, n_step):
        self.info = EnvironmentInfo((2,), 3, None, is_discrete=True, envs_per_member=envs)
        self.envs, self.capacity, self.calls, self.n_step = envs, capacity, calls, n_step
        self._write = jax.jit(jax.vmap(device_ring.write), donate_argnums=0)
        self._cut = jax.jit(jax.vmap(partial(device_ring.cut, envs=envs)))
        self._gather = jax.jit(jax.vmap(partial(device_ring.gather, envs=envs, n_step=n_step)))

    def begin(self):
        self.host = Replay(MEMBERS, self.capacity, self.info, self.n_step)
        self.device = empty_rings(MEMBERS, self.capacity, self.info, self.n_step, WHERE)

    def add(self, random):
        shape = MEMBERS, self.calls, self.envs
        obs = random.standard_normal((2, *shape, 2)).astype(np.float32)
        terminated, truncated = (random.random((2, *shape)) < 0.2).astype(np.float32)
        reward = random.standard_normal(shape).astype(np.float32)
        action = random.integers(0, 3, shape, np.int32)
        transitions = Transition(obs[0], action, reward, terminated, obs[1])
        start = self._number(self.host.added % self.capacity)
        self.device = self._write(self.device, Rollout(transitions, truncated), start)
        flat = Transition(*(field.reshape(MEMBERS, -1, *field.shape[3:]) for field in transitions))
        self.host.add(flat, ((terminated + truncated) > 0).reshape(MEMBERS, -1))

    def cut(self):
        self.host.cut()
        if self.device.ended is not None and self.host.added:
            start = self._number(self.host.added % self.capacity)
            self.device = self.device._replace(ended=self._cut(self.device.ended, start))

    def compare(self):
        fields, ended = self.device
        stored = fields._asdict() if ended is None else {**fields._asdict(), "ended": ended}
        saved, size = self.host.to_arrays(), self.host.size
        assert {*stored, "added"} == saved.keys()
        for name, array in stored.items():
            np.testing.assert_array_equal(array[:, :size], saved[name], err_msg=name)
        places = np.arange(self.capacity)[::-1] % size  # of one shape, however many are filled
        window = window_of(self.host.added, self.capacity)
        found = self._gather(
            self.device,
            np.tile(places.astype(np.int32), (MEMBERS, 1)),
            self._number(window.oldest),
            self._number(window.size),
        )
        expected = self.host.gather(np.stack([places, places + self.capacity]))
        for name, one, other in zip(expected._fields, found, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other, err_msg=name)

    def _number(self, number):
        return np.full(MEMBERS, number, np.int32)


CASES = {
    "single steps": (1, 12, 5, 1),
    "three steps, the capacity is no multiple": (2, 13, 3, 3),
    "a segment is more than fits": (3, 8, 4, 2),
}
HISTORY = some.lists(some.booleans(), min_size=1, max_size=9)
"""Segments, and whether the environments restart after each."""


@pytest.fixture(scope="module", params=CASES)
def both(request):
    return Both(*CASES[request.param])


@settings(max_examples=20, deadline=None)
@given(history=HISTORY, seed=some.integers(0, 1000))
def test_a_ring_on_the_device_is_a_ring(both, history, seed):
    both.begin()
    random = np.random.default_rng(seed)
    for is_cut in history:
        both.add(random)
        if is_cut:
            both.cut()
        both.compare()


def forget_the_write_head(monkeypatch):
    write = device_ring.write
    monkeypatch.setattr(device_ring, "write", lambda ring, rollout, start: write(ring, rollout, 0 * start))


def forget_ends(monkeypatch):
    monkeypatch.setattr(device_ring, "cut", lambda ended, start, envs: ended)


@pytest.mark.parametrize("wrong", [forget_the_write_head, forget_ends])
def test_a_wrong_ring_is_found_out(monkeypatch, wrong):
    wrong(monkeypatch)
    both, random = Both(2, 13, 3, 3), np.random.default_rng(0)
    both.begin()
    with pytest.raises(AssertionError):
        for _ in range(4):
            both.add(random)
            both.cut()
            both.compare()
