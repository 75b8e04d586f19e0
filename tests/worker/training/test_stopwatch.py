"""Time by phase; compiling is separate. Sleeping makes a lower bound, and no upper bound is asserted."""

import time

import jax
import jax.numpy as jnp
import pytest

from phylon.worker.training.stopwatch import PHASES, Stopwatch


def test_phases_and_the_rest_make_the_whole():
    stopwatch = Stopwatch()
    with stopwatch.phase("env"):
        time.sleep(0.02)
    time.sleep(0.03)
    total, seconds = stopwatch.lap()
    assert list(seconds) == list(PHASES)
    assert seconds["env"] >= 0.02
    assert seconds["other"] >= 0.03
    assert sum(seconds.values()) == pytest.approx(total)


def test_a_lap_begins_at_zero():
    stopwatch = Stopwatch()
    with stopwatch.phase("act"):
        time.sleep(0.01)
    stopwatch.lap()
    assert stopwatch.lap()[1]["act"] == 0


def test_compiling_is_not_charged_to_the_phase():
    stopwatch = Stopwatch()
    program = jax.jit(lambda x: jnp.sin(x) @ jnp.cos(x) + 41)
    with stopwatch.watch_compilation():
        with stopwatch.phase("update"):
            jax.block_until_ready(program(jnp.ones((7, 7))))
        first = stopwatch.lap()[1]
        with stopwatch.phase("update"):
            jax.block_until_ready(program(jnp.ones((7, 7))))
        second = stopwatch.lap()[1]
    assert first["compile"] > first["update"] > 0
    assert second["compile"] == 0 < second["update"]


def test_wall_goes_on_from_earlier_attempts():
    stopwatch = Stopwatch()
    stopwatch.wall_before = 100.0
    assert 100 < stopwatch.wall < 100 + 60
