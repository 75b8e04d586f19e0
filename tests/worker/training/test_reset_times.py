"""When members are reset: as the original does it, and never so late that they could not recover."""

from types import SimpleNamespace

import pytest

from phylon.presets import load_preset
from phylon.spec import Group, parse_document, parse_spec, read_yaml
from phylon.spec.segments import segment_updates
from phylon.worker.training import boundary
from phylon.worker.training.attempt import Attempt

ORIGINAL = [90_000, 175_000, 260_000, 345_000, 430_000]
"""SR-SAC with 32 updates per step and 500,000 steps: at each multiple of 5,000 steps, if more than 2,560,000 updates
were made since the last reset; updates are made from step 10,000 on, that step included."""


def original_steps(ratio: int, steps: int = 500_000) -> list[int]:
    """The loop of its code, step by step, until the last step: a reset there comes after the last evaluation."""
    found, updates = list[int](), 0
    for step in range(1, steps):
        updates += ratio if step >= 10_000 else 0
        if updates > 2_560_000 and step % 5_000 == 0:
            found.append(step)
            updates = 0
    return found


def reset_steps(spec) -> list[int]:
    """By the boundary's own rule, at every segment of a run."""
    experience = SimpleNamespace(warmup=spec.replay.warmup, updates=segment_updates(spec))
    state = SimpleNamespace(step=0)
    parts = SimpleNamespace(spec=spec, experience=experience)
    attempt = Attempt(parts, state, None, None, None, None)  # pyright: ignore[reportArgumentType]
    found = list[int]()
    for state.step in range(attempt.segment_steps, spec.budget.env_steps, attempt.segment_steps):
        if boundary._is_reset_due(attempt):
            found.append(state.step)
    return found


def spec_of(preset: str):
    document = parse_document(read_yaml(load_preset(preset).yaml))
    return next(iter(document.experiments.values())) if isinstance(document, Group) else document


@pytest.mark.parametrize("preset", ["dmc15", "srsac-cheetah-run", "srddpg-cheetah-run"])
def test_presets_reset_as_the_original_does(preset):
    assert original_steps(32) == ORIGINAL
    assert reset_steps(spec_of(preset)) == ORIGINAL


@pytest.mark.parametrize("preset", ["dmc15-smoke", "srsac-cheetah-run-smoke", "srddpg-cheetah-run-smoke"])
def test_smoke_variants_still_show_a_reset(preset):
    assert len(reset_steps(spec_of(preset))) == 1


def short(**resets):
    return parse_spec(
        {
            "environment": "Pendulum-v1",
            "algorithm": "sac",
            "population": {"size": 2, "method": "independent"},
            "replay": {"warmup": 100, "ratio": 1},
            "resets": resets,
            "budget": 1000,
            "execution": {"segment_steps": 10},
        }
    )


def test_a_reset_that_leaves_too_little_is_not_made():
    """900 updates: those after 200, 400, 600 and 800 would be due; after the last only 100 remain."""
    assert short(interval=200).resets.model_dump(include={"first", "recovery"}) == {"first": 200, "recovery": 100}
    assert reset_steps(short(interval=200)) == [300, 500, 700, 900]  # 100 remain: just enough
    assert reset_steps(short(interval=200, recovery=101)) == [300, 500, 700]
    assert reset_steps(short(interval=200, recovery=0)) == [300, 500, 700, 900]
    assert reset_steps(short(interval=200, first=50, recovery=0)) == [150, 350, 550, 750, 950]
    assert reset_steps(short(interval=200, first=50)) == [150, 350, 550, 750]
    assert reset_steps(short(interval=800, first=850)) == []


def recoverable(spec, steps) -> bool:
    return all((spec.budget.env_steps - step) * spec.replay.ratio >= spec.resets.interval / 2 for step in steps)


@pytest.mark.parametrize("interval", [130, 200, 290, 450])
def test_no_reset_is_too_late(interval):
    spec = short(interval=interval)
    assert recoverable(spec, reset_steps(spec))


def test_the_former_rule_reset_just_before_the_end(monkeypatch):
    """Every `interval` updates, whatever remained: ten thousand steps before the end of dmc15."""
    monkeypatch.setattr(
        boundary,
        "is_reset_due",
        lambda resets, before, now, total: now // resets.interval > before // resets.interval,
    )
    spec = spec_of("dmc15")
    former = spec.model_copy(update={"resets": spec.resets.model_copy(update={"interval": 2_560_000})})
    steps = reset_steps(former)
    assert steps == [90_000, 170_000, 250_000, 330_000, 410_000, 490_000]
    assert not recoverable(former, steps)
    assert steps != ORIGINAL
