"""CEM-RL and DvD through the whole loop: what they report, and that a resumed run repeats the whole one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished, Lineage, Started
from phylon.run_directory import checkpoints_dir

from .runs import frames_of, last_arrays, reproducible

METHODS: dict[str, dict[str, Any]] = {
    "cem_rl": {"name": "cem_rl", "interval": 100},
    "dvd": {"name": "dvd", "interval": 100, "coefficient": {"name": "bandit", "arms": [0.1, 0.6]}},
}
ALGORITHMS = {"cem_rl": "sac", "dvd": "td3"}
"""CEM-RL with TD3 is covered by the smoke preset."""


@pytest.fixture(params=METHODS)
def spec(request: pytest.FixtureRequest, small_spec: dict[str, Any]) -> dict[str, Any]:
    small_spec["algorithm"] = {
        "name": ALGORITHMS[request.param],
        "batch_size": 8,
        "network": {"hidden": [8]},
        "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
        "learning_rate_decay": {"shape": "linear"},
        "n_step": 2,
    }
    small_spec["environment"]["envs_per_member"] = 2
    small_spec["population"]["method"] = METHODS[request.param]
    small_spec["replay"] |= {"sharing": "shared", "capacity": 500}
    small_spec["execution"]["strategy"] = "auto"
    return small_spec | {"budget": {"env_steps": 300}}


def test_a_resumed_run_repeats_the_uninterrupted_one(spec, train_here, tmp_path: Path):
    events = train_here(spec)
    assert isinstance(events[-1], Finished)
    expected = last_arrays(tmp_path / "run")
    assert expected["replay/reward"].shape == (1, 500)  # one ring for all, full
    for file in checkpoints_dir(tmp_path / "run").glob("*15.*"):  # the last one: as if it had never been written
        file.unlink()
    again = train_here(spec)
    found = last_arrays(tmp_path / "run")
    assert [event.kind for event in again if event.step == 200][-1] == "started"
    assert reproducible(again) == reproducible(events)
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    tells_what_it_does(spec["population"]["method"]["name"], events, expected)


def tells_what_it_does(name: str, events: list[Any], arrays: dict[str, np.ndarray]) -> None:
    started, lineages = events[0], [event for event in events if isinstance(event, Lineage)]
    assert isinstance(started, Started)
    assert started.strategy == "vectorized" and "share a critic" in started.explanation
    births = [span for event in lineages[1:] for span in event.spans]
    returns = frames_of(events, "evaluation/return")
    losses = frames_of(events, "training/policy_loss")
    if name == "cem_rl":
        assert [event.step for event in lineages] == [0, 100, 200]
        centre = frames_of(events, "population/mean_policy_return")
        assert centre.keys() == returns.keys() and all(len(values) == 1 for values in centre.values())
        spread = frames_of(events, "population/weight_deviation")
        assert spread.keys() == returns.keys() and spread[100] == pytest.approx([0.1], rel=1e-5)
        assert all(np.isfinite(values).tolist() == [True, True, False, False] for values in losses.values())
        first = births[:4]
        assert {span.operator for span in first} == {"sample"}
        best = int(np.argmax(returns[100]))
        assert {span.parent for span in first} == {best}  # a founder's span has its slot's number
        assert len({span.weights for span in first}) == 4
        assert [span.reasons["trained"] for span in first] == [1, 1, 0, 0]
        assert max(first, key=lambda span: span.reasons["elite_weight"]).slot == best
        assert any(key.startswith("search/mean/") for key in arrays)
    else:
        assert all(np.isfinite(values).all() for values in losses.values())
        coefficients = [values[0] for values in frames_of(events, "hyperparams/diversity").values()]
        assert coefficients[0] == pytest.approx(0.1)
        for span in births:
            assert span.operator == "schedule" and span.parent % 4 == span.slot
            assert span.reasons.keys() == {
                "coefficient",
                "coefficient_before",
                "arm_0.1",
                "arm_0.6",
                "log_determinant",
            }
            assert span.hyperparams["diversity"] == pytest.approx(span.reasons["coefficient"])
