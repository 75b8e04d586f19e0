"""Options of an environment are for those that have them."""

import pytest

from phylon.spec import SpecInvalid, parse_spec
from phylon.spec.environment import AtariSpec, EnvironmentSpec, ProcgenSpec


def problems(raw, **environment):
    with pytest.raises(SpecInvalid) as caught:
        parse_spec(raw | {"environment": environment})
    return {problem["path"]: problem for problem in caught.value.problems}


@pytest.mark.parametrize("family", ["atari", "procgen"])
@pytest.mark.parametrize(
    ("suite", "id"), [("gymnasium", "Pendulum-v1"), ("envpool", "CheetahRun-v1"), ("probe", "ActionReward-v0")]
)
def test_games_options_are_for_games(raw, family, suite, id):
    found = problems(raw, suite=suite, id=id, **{family: {}})
    assert set(found) == {f"environment.{family}"}
    problem = found[f"environment.{family}"]
    assert f"{id} of suite '{suite}' is no {family} game" in problem["message"]
    assert f"--search {family}" in problem["remedy"]


def test_only_gymnasium_has_a_choice_of_stepping(raw):
    found = problems(raw, suite="probe", id="ActionReward-v0", stepping="processes")
    assert "only gymnasium" in found["environment.stepping"]["remedy"]
    spec = parse_spec(raw | {"environment": {"suite": "gymnasium", "id": "Pendulum-v1", "stepping": "processes"}})
    assert spec.environment.stepping == "processes"


def test_games_take_their_options():
    """Which algorithms can play them is another matter."""
    assert EnvironmentSpec(suite="envpool", id="Pong-v5", atari=AtariSpec(sticky_actions=0.25)).procgen is None
    assert ProcgenSpec().levels == 200
    assert (AtariSpec().life_loss_ends_episode, AtariSpec().clip_rewards) == (True, True)


@pytest.mark.parametrize(
    ("family", "option", "value"),
    [
        ("atari", "sticky_actions", 1.0),
        ("atari", "idle_starts", 0),  # envpool would crash
        ("procgen", "levels", -1),
        ("procgen", "start_level", 2**31),
        ("procgen", "level", 5),
    ],
)
def test_values_out_of_range_are_refused(raw, family, option, value):
    found = problems(raw, suite="envpool", id="Pong-v5", **{family: {option: value}})
    assert f"environment.{family}.{option}" in found


@pytest.mark.parametrize(("suite", "id"), [("probe", "ActionReward-v0"), ("gymnax", "Pendulum-v1")])
def test_what_has_no_looks_is_not_filmed(raw, suite, id):
    found = problems(raw | {"videos": {"interval": 1000}}, suite=suite, id=id)
    assert found["videos"]["message"] == f"{id} of suite '{suite}' cannot be drawn"
    assert parse_spec(raw | {"videos": {"interval": 1000}}).videos
