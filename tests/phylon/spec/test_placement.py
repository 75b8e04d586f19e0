"""What keeps a replay off the device."""

from typing import Any

import pytest

from phylon.spec import SpecInvalid, parse_spec

SHORT: dict[str, Any] = {
    "environment": {"suite": "gymnax", "id": "Pendulum-v1"},
    "algorithm": "td3",
    "population": {"size": 4},
    "budget": 10_000,
    "replay": {"placement": "device"},
}


def test_left_out_it_is_for_the_trainer_to_choose():
    spec = parse_spec({name: value for name, value in SHORT.items() if name != "replay"})
    assert spec.replay is not None and spec.replay.placement == "auto"


def test_environments_of_jax_functions_take_it():
    spec = parse_spec(SHORT)
    assert spec.replay is not None and spec.replay.placement == "device"


@pytest.mark.parametrize(
    ("changes", "message", "remedy"),
    [
        ({"environment": "HalfCheetah-v5"}, "suite 'gymnasium' are stepped on the host", "gymnax, mjx"),
        ({"replay": {"placement": "device", "sharing": "shared"}}, "members share one replay", "sharing: per_member"),
        ({"execution": {"strategy": "parallel"}}, "processes of their own", "another execution.strategy"),
        ({"execution": {"overlap": True}}, "a segment is one program", "execution.overlap"),
        ({"population": {"size": 4, "method": "cem_rl"}}, "members share one replay", "sharing: per_member"),
    ],
)
def test_what_cannot_be_is_refused(changes, message, remedy):
    with pytest.raises(SpecInvalid) as refused:
        parse_spec(SHORT | changes)
    (problem,) = refused.value.problems
    assert (problem["path"], problem["value"]) == ("replay.placement", "device")
    assert message in problem["message"] and remedy in problem["remedy"]


@pytest.mark.parametrize("placement", ["auto", "host"])
def test_elsewhere_nothing_is_refused(placement):
    parse_spec(SHORT | {"environment": "HalfCheetah-v5", "replay": {"placement": placement}})


def test_frames_that_are_stored_once_are_in_host_memory():
    with pytest.raises(SpecInvalid) as refused:
        parse_spec(SHORT | {"environment": "Pong-v5", "algorithm": "dqn"})
    assert [problem["path"] for problem in refused.value.problems] == ["replay.placement"] * 2
    assert "each of which is stored once" in refused.value.problems[1]["message"]
