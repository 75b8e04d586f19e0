"""Evaluations through the whole platform: a run's policy plays on a real worker, is filmed, and survives a kill."""

import json
import os
import signal

import httpx
import pytest
from typer.testing import CliRunner

from phylon.cli.app import app
from phylon.contract.evaluation_events import EpisodesPlayed, evaluation_event
from tests.conftest import Platform

MODULE = "phylon.worker.policies.evaluation"
ROUND = 16
"""Episodes that are played side by side, and reported together."""
MANY = 1000
"""Takes some seconds to play, so that a kill hits it."""


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform() as platform:
        yield platform


@pytest.fixture(scope="module")
def finished_run(platform: Platform, make_spec) -> int:
    """Its last checkpoint is kept beside its policy."""
    spec = make_spec(budget__env_steps=400, population={"size": 2, "method": {"name": "no_op"}})
    run_id = platform.submit(spec)
    assert platform.wait_until_ended(run_id).status == "finished"
    return run_id


def play(platform: Platform, *arguments: str) -> dict:
    """What `phylon play` says of one policy."""
    answer = CliRunner().invoke(app, ["play", *arguments, "--seed", "5", "--json", "--url", platform.url])
    assert answer.exit_code == 0, answer.output
    [row] = json.loads(answer.stdout)["policies"]
    return row


def events_of(platform: Platform, evaluation: int) -> list:
    """The whole history, once it has ended."""
    with httpx.stream("GET", f"{platform.url}/api/v1/evaluations/{evaluation}/events", trust_env=False) as answer:
        lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line.startswith("data: ")]
    return [evaluation_event.validate_json(line) for line in lines if "seq" in json.loads(line)]


def test_a_killed_evaluation_is_as_one_that_was_left_alone(platform: Platform, finished_run: int, tmp_path):
    shown = play(platform, str(finished_run), "--episodes", "64", "--on-worker", "--film", str(tmp_path / "film.mp4"))
    [calm] = platform.client.evaluations(finished_run)
    found = platform.client.evaluation(calm.id)
    assert (found.status, found.error, found.done, found.worker_name) == ("finished", None, 64, "first")
    [policy], [played] = found.policies, found.played
    assert policy.summary.low < policy.summary.mean < policy.summary.high < 0, "a pendulum only costs"
    assert (policy.loaded.environment, policy.loaded.deterministic) == ("gymnasium:Pendulum-v1", True)
    assert policy.film_problem is None
    [film] = policy.films
    assert film.episode_return == pytest.approx(played.returns[0], rel=1e-6), "the film shows the first episode"
    assert (film.episode_steps, film.ended) == (200, True)
    assert b"ftyp" in (tmp_path / "film.mp4").read_bytes()[:12]
    assert (shown["mean"], shown["high"]) == (policy.summary.mean, policy.summary.high)
    here = play(platform, str(finished_run), "--episodes", str(ROUND))
    assert here["mean"] == pytest.approx(sum(played.returns[:ROUND]) / ROUND), "here it plays the same episodes"

    # Of the same checkpoint comes the same policy; and this one's process dies long before its last episodes.
    winner = {"run": finished_run, "member": policy.loaded.member, "step": 400}
    hit = platform.client.evaluate(winner, episodes=MANY, seed=5)
    platform.wait(lambda: platform.client.evaluation(hit.id).done >= ROUND, "its first episodes")
    os.kill(platform.trainer_pid(MODULE), signal.SIGKILL)
    again = platform.client.wait_for_evaluation(hit.id)
    assert (again.status, again.policies[0].loaded.weights_sha256) == ("finished", policy.loaded.weights_sha256)
    assert again.played[0].returns[:64] == played.returns
    events = events_of(platform, hit.id)
    assert [event.seq for event in events] == list(range(len(events)))
    parts = [event for event in events if isinstance(event, EpisodesPlayed)]
    assert [part.first for part in parts] == list(range(0, MANY, ROUND)), "no episode was reported twice"
    assert [event.kind for event in events].count("loaded") == 2, "it was taken up by a second attempt"


def test_a_failing_one_says_why_and_harms_nobody(platform: Platform, finished_run: int):
    """Its run goes away while it waits."""
    platform.worker.end()
    try:
        evaluation = platform.client.evaluate({"run": finished_run, "step": 400}, films=1).id
        platform.client.delete(platform.client.run(finished_run).experiment_id)
    finally:
        platform.start_worker()
    found = platform.client.wait_for_evaluation(evaluation)
    assert found.status == "failed"
    assert "no longer holds" in found.error and "evaluate the run again" in found.remedy
    [worker] = platform.client.workers()
    assert worker.state in ("idle", "busy"), "the worker is not to blame"
