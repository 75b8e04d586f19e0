"""Population methods on problems with known answers: the four arms of the PBT paper's Figure 2, and Ray Tune's toy.

Many seeds are run by a program of the engine's own parts, compiled as a whole; real runs agree with it.
"""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.contract.events import Lineage
from phylon.presets import load_preset
from phylon.spec import ExperimentSpec, parse_group, read_yaml, spec_to_json
from phylon.toys import START, TOP, figure2_score
from phylon.worker.algorithms import build_algorithm
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.environments import describe
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.population import PopulationScores, build_method, sample_hyperparams
from phylon.worker.population.timing import Progress, is_due

from .runs import frames_of

FIGURE2, TRIANGLE = (
    parse_group(read_yaml(load_preset(name).yaml)).experiments for name in ("toy-figure2", "toy-triangle")
)
SEEDS = 20


class Lives(NamedTuple):
    """What became of the members, [seeds, steps, P, ...]."""

    places: np.ndarray
    """Their action after each update."""
    parents: np.ndarray
    """The slot whose weights each slot goes on with after that step."""


@cache
def simulate(preset: str, arm: str, seeds: int = SEEDS) -> Lives:
    """As the training loop does it, with the loop's own keys, but for the environments: an action is all there is."""
    spec = {"figure2": FIGURE2, "triangle": TRIANGLE}[preset][arm]
    size, budget = spec.population.size, spec.budget.env_steps
    algorithm, method = build_algorithm(spec.algorithm, describe("toy", spec.environment.id)), build_method(spec)
    is_evolving = [step < budget and is_due_at(spec, step) for step in range(1, budget + 1)]

    def fitness_of(places):
        if preset == "triangle":
            return places[:, 0]
        return TOP - jnp.square(places).sum(axis=1)

    def run(seed):
        key = jax.random.key(seed)
        hyperparams = sample_hyperparams(derive(key, "hyperparams"), spec.algorithm, size, spec.population.founders)
        population = jax.vmap(algorithm.init)(member_keys(derive(key, "init"), size), hyperparams)
        method_state = method.init(derive(key, "method"), hyperparams)

        def step(carry, inputs):
            number, evolves = inputs
            population, hyperparams, method_state = carry
            keys = jax.vmap(derive, in_axes=(0, None))(member_keys(derive(key, "update"), size), number - 1)
            population, _ = jax.vmap(algorithm.update, (0, 0, None, 0))(population, hyperparams, None, keys)
            places = jax.vmap(lambda state: algorithm.act(state, {}, jnp.zeros((1, 1)), None, False))(population)[:, 0]
            fitness = fitness_of(places)
            plan = method.evolve(
                derive(key, "evolve", number),
                method_state,
                hyperparams,
                PopulationScores(number, fitness, fitness[:, None]),
            )
            parents = jnp.where(evolves, plan.parents, jnp.arange(size))
            hyperparams = {name: jnp.where(evolves, plan.hyperparams[name], old) for name, old in hyperparams.items()}
            population = jax.tree.map(lambda leaf: leaf[parents], population)
            return (population, hyperparams, plan.method_state), (places, parents)

        inputs = (jnp.arange(1, budget + 1), jnp.array(is_evolving))
        return jax.lax.scan(step, (population, hyperparams, method_state), inputs)[1]

    with jax.debug_key_reuse(False):  # it takes a key that a scan closes over for one that is used at every step
        return Lives(
            *map(np.asarray, jax.jit(jax.vmap(run), compiler_options=fast_compile_options())(jnp.arange(seeds)))
        )


def is_due_at(spec: ExperimentSpec, step: int) -> bool:
    return is_due(spec.population.method, Progress(step - 1, step - 1, 0), Progress(step, step, 0))


def scores(arm: str) -> np.ndarray:
    """Of the better member after each step, [seeds, steps]."""
    return figure2_score(simulate("figure2", arm).places).max(axis=2)


def ancestry(lives: Lives, seed: int) -> np.ndarray:
    """Where the last step's best member and those it descends from stood, from the start on, [1 + steps, 2]."""
    places, parents = lives.places[seed], lives.parents[seed]
    slot = int(np.argmax(figure2_score(places[-1])))
    path = [places[-1, slot]]
    for step in range(len(places) - 2, -1, -1):
        slot = parents[step, slot]
        path.append(places[step, slot])
    return np.array([*path, np.full(2, START, np.float32)])[::-1]


def test_pbt_arrives():
    """By step 200, most of the time."""
    best = scores("pbt").max(axis=1)
    assert (best >= 1.19).mean() >= 0.8, best


def test_a_grid_stays_on_its_side():
    assert scores("grid").max() <= 0.39 + 1e-6


def test_exploit_and_explore_are_better_together():
    ends = {arm: float(np.median(scores(arm)[:, -1])) for arm in FIGURE2}
    assert ends["pbt"] > ends["exploit-only"] > ends["explore-only"] > 1 > ends["grid"], ends


def test_exploit_alone_climbs_a_staircase():
    """A member knows one axis and learns of the other by copying who knows it."""
    moves = np.diff(ancestry(simulate("figure2", "exploit-only"), seed=0), axis=0) != 0
    assert (moves.sum(axis=1) == 1).all(), "it moved along both axes at once, or along none"
    assert np.abs(np.diff(moves[:, 0].astype(int))).sum() > 10, "it hardly ever turned"


def test_pbt_climbs_along_both_axes_at_once():
    moves = np.diff(ancestry(simulate("figure2", "pbt"), seed=0), axis=0) != 0
    assert (moves.sum(axis=1) == 2).mean() > 0.5


@pytest.mark.parametrize("strategy", ["sequential", "vectorized", "sharded"])
def test_a_real_run_goes_the_same_way_by_every_strategy(strategy: str, train_here):
    spec = spec_to_json(FIGURE2["pbt"]) | {"execution": {"strategy": strategy}}
    events = train_here(spec)
    lives = simulate("figure2", "pbt")
    for axis in (0, 1):
        found = np.array(list(frames_of(events, f"training/theta_{axis}").values()))
        np.testing.assert_allclose(found, lives.places[0, :, :, axis], rtol=1e-5)
    best = {step: max(returns) for step, returns in frames_of(events, "evaluation/return").items()}
    for step, value in best.items():
        assert value == pytest.approx(scores("pbt")[0, step - 1], abs=1e-5), step
    assert best[200] >= 1.19
    children = [(event.step, span.slot) for event in events if isinstance(event, Lineage) for span in event.spans]
    copied = np.argwhere(lives.parents[0] != np.arange(2))
    assert children[2:] == [(step + 1, slot) for step, slot in copied.tolist()]


def accuracies(arm: str) -> np.ndarray:
    """Of the best member after the last step, [seeds]."""
    return 100 * (1 + simulate("triangle", arm).places[:, -1, :, 0]).max(axis=1)


def test_pbt_finds_the_triangle_wave():
    pbt, without = accuracies("pbt"), accuracies("without")
    assert pbt.mean() > 140 and without.mean() < 100, (pbt, without)
    assert np.median(pbt) > without.max(), (pbt, without)


def test_a_real_run_of_the_triangle(train_here):
    events = train_here(spec_to_json(TRIANGLE["pbt"]) | {"budget": {"env_steps": 60}, "checkpoint": {"interval": 60}})
    for step, returns in frames_of(events, "evaluation/return").items():
        expected = 100 * (1 + simulate("triangle", "pbt").places[0, step - 1, :, 0])
        np.testing.assert_allclose(returns, expected, rtol=1e-4, atol=1e-4, err_msg=f"step {step}")
