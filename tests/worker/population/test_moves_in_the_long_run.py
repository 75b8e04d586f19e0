"""Moves search a range: values do not gather on its bounds, whatever the range, the number and the operator."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from phylon.presets import load_preset
from phylon.registry import algorithms
from phylon.spec import Choice, Distribution, IntUniform, LogUniform, Uniform, bounds, parse_yaml
from phylon.spec.distributions import NameChoice
from phylon.spec.explore import ExploreSpec, GaussianExplore, PerturbExplore, TriangularExplore
from phylon.worker.core.keys import derive, member_keys
from phylon.worker.core.types import Array, Hyperparams, Key
from phylon.worker.execution.compilation import fast_compile_options
from phylon.worker.population import PopulationScores, build_method, hyperparams, sample_hyperparams
from phylon.worker.population.explore import build_move, explore_members
from phylon.worker.population.hyperparams import Prior, prior

MEMBERS, MOVES = 16, 200
EXPLORES = {
    "perturb": PerturbExplore(name="perturb"),
    "factors alone": PerturbExplore(name="perturb", resample=0.0),
    "triangular": TriangularExplore(name="triangular"),
    "gaussian": GaussianExplore(name="gaussian"),
}


class Number(NamedTuple):
    distribution: Distribution
    scale: str
    has_order: bool = True


def recommended() -> Iterator[tuple[str, Number]]:
    """Every hyper-parameter of every installed algorithm, with its recommended range."""
    for name, algorithm in algorithms().items():
        for field, space in algorithm.search_space.items():
            if isinstance(space, NameChoice):
                listed = Choice(choice=tuple(float(place) for place in range(len(space.choice))))
                yield f"{name}.{field}", Number(listed, algorithm.scale_of(field), has_order=False)
            else:
                yield f"{name}.{field}", Number(space, algorithm.scale_of(field))


RECOMMENDED = {number: name for name, number in recommended()}
"""What two algorithms have in common comes once."""
NUMBERS = {name: number for number, name in RECOMMENDED.items()} | {
    "a discount up to 1": Number(Uniform(uniform=(0.9, 1.0)), "complement"),
    "a discount by orders": Number(LogUniform(log_uniform=(0.9, 0.999)), "complement"),
    "narrower than a step": Number(Uniform(uniform=(0.5, 0.6)), "linear"),
    "narrow orders": Number(LogUniform(log_uniform=(1e-3, 1.1e-3)), "log"),
    "narrow whole numbers": Number(IntUniform(int_uniform=(100, 120)), "linear"),
    "a list": Number(Choice(choice=(0.1, 0.2, 0.4)), "linear"),
}


def walk(explore: ExploreSpec, names: Iterable[str]) -> dict[str, np.ndarray]:
    """What each member has after each of its moves, [MOVES, MEMBERS] for each name; one program for all of them."""
    numbers = {name: NUMBERS[name] for name in names}
    functions = {name: prior(own.distribution, own.has_order, own.scale) for name, own in numbers.items()}
    moves = {name: build_move(explore, functions[name], own.distribution, name) for name, own in numbers.items()}

    def step(values: Hyperparams, words: Array) -> tuple[Hyperparams, Hyperparams]:
        moved, _ = explore_members(jax.random.wrap_key_data(words), jnp.ones(MEMBERS, bool), values, moves)
        return moved, moved

    def run(key: Key) -> Hyperparams:
        founders = {
            name: jax.vmap(own.sample)(member_keys(derive(key, name), MEMBERS)) for name, own in functions.items()
        }
        # as plain words: JAX's check for reused keys takes scanned keys for used ones
        return jax.lax.scan(step, founders, jax.random.key_data(jax.random.split(derive(key, "moves"), MOVES)))[1]

    found = jax.jit(run, compiler_options=fast_compile_options())(jax.random.key(0))
    return {name: np.asarray(values, np.float64) for name, values in found.items()}


def share_on_bounds(values: np.ndarray, number: Number) -> float:
    low, high = bounds(number.distribution)
    hair = 1e-6 * (high - low)  # the outermost float32 number may be that much inside
    return float(np.mean((values <= low + hair) | (values >= high - hair)))


def check_search(name: str, values: np.ndarray) -> None:
    number = NUMBERS[name]
    low, high = bounds(number.distribution)
    if isinstance(number.distribution, Choice):
        low, high = float(np.float32(low)), float(np.float32(high))
    assert low <= values.min() and values.max() <= high
    match number.distribution:
        case IntUniform():
            possible = int(high - low) + 1
        case Choice(choice=listed):
            possible = len(listed)
        case _:
            possible = values.size
    tried = [values] if possible < values.size else values.T  # few values are tried by all members together
    for each in tried:
        assert len(np.unique(each)) >= min(20, possible), f"{name}: too few values are tried"
    if number.has_order:  # a fifth, but of few values the bounds are a larger share
        on_bound = share_on_bounds(values, number)
        assert on_bound <= max(0.2, 2 / possible + 0.05), f"{name}: {on_bound:.0%} of the values are on a bound"


@pytest.mark.parametrize("explore", EXPLORES)
def test_200_moves_try_20_values_and_stay_off_the_bounds(explore: str):
    for name, values in walk(EXPLORES[explore], NUMBERS).items():
        check_search(name, values)


def former_rule(support, logarithmic: bool, is_complement: bool) -> Prior:
    """Factors on the value itself, held at the bounds."""
    del is_complement
    current = CURRENT_RULE(support, logarithmic, is_complement=False)
    return current._replace(perturb=lambda value, factor: current.clip(value * factor))


CURRENT_RULE = hyperparams._real


@pytest.mark.parametrize("explore", ["perturb", "factors alone"])
def test_the_former_rule_is_found_out(monkeypatch: pytest.MonkeyPatch, explore: str):
    monkeypatch.setattr(hyperparams, "_real", former_rule)
    thrown = ("td3.discount", "ppo.gae_lambda", "a discount up to 1", "narrower than a step")
    for name, values in walk(EXPLORES[explore], thrown).items():
        with pytest.raises(AssertionError, match=r"too few values|on a bound"):
            check_search(name, values)


def first_example() -> str:
    text = (Path(__file__).parents[3] / "docs" / "spec.md").read_text()
    found = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


SHOWN = {"newcomer": lambda: load_preset("td3-pbt-pendulum-smoke").yaml, "first example": first_example}


def evolve_discounts(document: str) -> tuple[np.ndarray, Number]:
    """The discounts of all members over 60 evolutions whose fitness is chance."""
    spec = parse_yaml(document)
    method, size = build_method(spec), spec.population.size
    values = sample_hyperparams(jax.random.key(0), spec.algorithm, size)
    evolve = jax.jit(method.evolve, compiler_options=fast_compile_options())
    state, seen = method.init(jax.random.key(1), values), []
    for round in range(60):
        fitness = jax.random.normal(jax.random.key(100 + round), (size,))
        scores = PopulationScores(jnp.int32(round), fitness, fitness[:, None])
        plan = evolve(jax.random.key(1000 + round), state, values, scores)
        state, values = plan.method_state, plan.hyperparams
        seen.append(values["discount"])
    return np.asarray(jnp.stack(seen), np.float64), Number(spec.algorithm.discount, "complement")


@pytest.mark.parametrize("shown", SHOWN)
def test_what_newcomers_see_moves_its_discount(shown: str):
    values, number = evolve_discounts(SHOWN[shown]())
    assert len(np.unique(values)) >= 20
    assert share_on_bounds(values, number) == 0


@pytest.mark.parametrize("shown", SHOWN)
def test_and_did_not_by_the_former_rule(monkeypatch: pytest.MonkeyPatch, shown: str):
    monkeypatch.setattr(hyperparams, "_real", former_rule)
    values, number = evolve_discounts(SHOWN[shown]())
    assert share_on_bounds(values, number) > 0.2
