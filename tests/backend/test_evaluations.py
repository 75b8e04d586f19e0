"""Evaluations: asked for, dispatched, played by a worker, gone on with by another, deleted.

What holds for every kind of job (lease, fence, stop, attempts) is in `test_attempts`.
"""

import hashlib
from typing import Any

import pytest
from sqlalchemy import func, select

from phylon.backend.models import Artifact, Evaluation, EvaluationPolicy, Event, Job

from .checkpoints import checkpoint_file
from .policies import policy_archive

POLICY = policy_archive()
FILM = b"moving pictures"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def leave_policy(worker, run_id: int) -> None:
    """The run has finished, and left its winner's policy."""
    attempt = worker.take(run_id)
    worker.upload(run_id, attempt, "policy.zip", POLICY, sha256(POLICY), 1000)
    place = {"seq": 0, "step": 1000, "wall": 1.0, "file": "policy.zip", "bytes": len(POLICY), "sha256": sha256(POLICY)}
    policy = {"kind": "policy", "member": 1, "span": 3, **place}
    end = {"kind": "finished", "reason": "budget", "best_member": 1, "fitness": 1.0, "final": None}
    assert worker.report(run_id, attempt, [policy, {**end, "seq": 1, "step": 1000, "wall": 2.0}]).is_success


def keep_checkpoint(worker, run_id: int, step: int = 20) -> None:
    attempt, content = worker.take(run_id), checkpoint_file()
    worker.upload(run_id, attempt, "000001.npz", content, sha256(content), step=step)
    place = {"seq": 0, "step": step, "wall": 1.0, "number": 1, "file": "000001.npz", "bytes": len(content)}
    assert worker.report(run_id, attempt, [{"kind": "checkpoint", **place, "sha256": sha256(content)}]).is_success


@pytest.fixture
def played_run(worker, run_id) -> int:
    leave_policy(worker, run_id)
    return run_id


@pytest.fixture
def player(worker):
    return worker.of_evaluations()


def ask(client, *runs: int, **changes: Any) -> Any:
    return client.post("/api/v1/evaluations", json={"policies": [{"run": run} for run in runs], **changes})


def read(client, evaluation: int) -> dict[str, Any]:
    return client.get(f"/api/v1/evaluations/{evaluation}").json()


def loaded(policy: int = 0, environment: str = "gymnasium:Pendulum-v1") -> dict[str, Any]:
    found = {"environment": environment, "deterministic": True, "member": 1, "policy_step": 1000}
    return {"kind": "loaded", "policy": policy, **found, "weights_sha256": "aa"}


def played(returns: list[float], policy: int = 0, first: int = 0) -> dict[str, Any]:
    return {"kind": "played", "policy": policy, "first": first, "returns": returns, "lengths": [5] * len(returns)}


def film(episode: int = 0) -> dict[str, Any]:
    place = {"file": f"policy-0-episode-{episode}.mp4", "bytes": len(FILM), "sha256": sha256(FILM)}
    return {"kind": "film", "policy": 0, "episode": episode, "episode_return": 1.5, "episode_steps": 5} | {
        "ended": True,
        **place,
    }


FINISHED = {"kind": "finished"}


def numbered(*events: dict[str, Any], first: int = 0) -> list[dict[str, Any]]:
    return [{"seq": seq, "step": seq, "wall": 1.0, **event} for seq, event in enumerate(events, start=first)]


def test_policies_are_played_to_the_end(client, worker, player, submit, played_run):
    other = submit()["runs"][0]["id"]
    leave_policy(worker, other)
    created = ask(client, played_run, other, episodes=3, films=1, seed=7)
    assert created.status_code == 201, created.text
    fresh = created.json()
    assert (fresh["status"], fresh["done"], fresh["total"], fresh["seed"]) == ("queued", 0, 6, 7)
    assert [each["summary"] for each in fresh["policies"]] == [None, None]
    evaluation = fresh["id"]
    claim = player.claim(evaluation).json()
    assert (claim["kind"], claim["payload"]["episodes"], claim["payload"]["films"]) == ("evaluation", 3, 1)
    [first, second] = claim["payload"]["policies"]
    assert (first["file"], first["sha256"], first["played"]) == ("policy.zip", sha256(POLICY), 0)
    assert player.get(f"/artifacts/{second['artifact_id']}/content").content == POLICY
    player.resume(evaluation, 1, 0)
    player.upload(evaluation, 1, "policy-0-episode-0.mp4", FILM, sha256(FILM))
    events = numbered(loaded(), played([1.0, 2.0, 3.0]), film(), loaded(1), played([2.0, 4.0], policy=1))
    player.report(evaluation, 1, events)
    assert player.report(evaluation, 1, events).json()["next_seq"] == 5, "reporting twice is harmless"
    running = read(client, evaluation)
    assert (running["status"], running["done"]) == ("running", 5)
    assert running["policies"][1]["summary"]["episodes"] == 2
    last = numbered(played([6.0], policy=1, first=2), FINISHED, first=5)
    player.report(evaluation, 1, last)
    ended = read(client, evaluation)
    assert (ended["status"], ended["done"], ended["worker_name"], ended["error"]) == ("finished", 6, "first", None)
    one, two = ended["policies"]
    assert one["summary"] == {
        "mean": 2.0,
        "low": pytest.approx(2 - 4.302653 / 3**0.5),  # Student's t with 2 degrees of freedom
        "high": pytest.approx(2 + 4.302653 / 3**0.5),
        "smallest": 1.0,
        "largest": 3.0,
        "length": 5.0,
        "episodes": 3,
    }
    assert one["difference"] is None
    assert (two["difference"]["mean"], two["run_id"]) == (2.0, other)  # 1, 2 and 3 more, episode by episode
    assert two["difference"]["low"] == pytest.approx(2 - 4.302653 / 3**0.5)
    assert ended["played"][1] == {"returns": [2.0, 4.0, 6.0], "lengths": [5, 5, 5]}
    [shown] = one["films"]
    video = client.get(f"/api/v1/artifacts/{shown['id']}/content")
    assert (video.content, video.headers["content-type"]) == (FILM, "video/mp4")
    assert client.get("/api/v1/evaluations", params={"run": other}).json()["total"] == 1
    assert client.get("/api/v1/evaluations", params={"run": other + 1}).json()["total"] == 0
    assert "played" not in client.get("/api/v1/evaluations").json()["items"][0]


def test_no_difference_between_environments(client, player, worker, submit, played_run):
    """Their returns have nothing to do with each other."""
    other = submit()["runs"][0]["id"]
    leave_policy(worker, other)
    evaluation = ask(client, played_run, other, episodes=1).json()["id"]
    player.take(evaluation)
    elsewhere = loaded(1, "gymnasium:Acrobot-v1")
    player.report(evaluation, 1, numbered(loaded(), played([1.0]), elsewhere, played([2.0], policy=1), FINISHED))
    assert read(client, evaluation)["policies"][1]["difference"] is None


class TestHandOver:
    def test_another_worker_goes_on_with_the_next_episode(self, client, player, make_worker, played_run):
        evaluation = ask(client, played_run, episodes=3).json()["id"]
        player.take(evaluation)
        player.report(evaluation, 1, numbered(loaded(), played([1.0, 2.0])))
        player.release(evaluation, 1, "worker_shutdown")
        second = make_worker("second").of_evaluations()
        claim = second.claim(evaluation).json()
        assert (claim["attempt"], claim["next_seq"], claim["payload"]["policies"][0]["played"]) == (2, 2, 2)
        second.resume(evaluation, 2, 2)
        assert read(client, evaluation)["played"][0]["returns"] == [1.0, 2.0], "what was played stays so"
        second.report(evaluation, 2, numbered(played([3.0], first=2), FINISHED, first=2))
        found = read(client, evaluation)
        assert (found["status"], found["played"][0]["returns"]) == ("finished", [1.0, 2.0, 3.0])

    def test_no_episode_counts_twice(self, client, player, played_run):
        evaluation = ask(client, played_run, episodes=3).json()["id"]
        player.take(evaluation)
        player.report(evaluation, 1, numbered(loaded(), played([1.0])))
        answer = player.report(evaluation, 1, numbered(played([1.0]), first=2))
        assert answer.status_code == 422 and "has played 1" in answer.json()["detail"]
        assert read(client, evaluation)["done"] == 1

    def test_a_history_that_is_cut_back_is_folded_again(self, client, player, played_run):
        evaluation = ask(client, played_run, episodes=3).json()["id"]
        player.take(evaluation)
        player.report(evaluation, 1, numbered(loaded(), played([1.0]), played([2.0], first=1)))
        player.release(evaluation, 1)
        player.take(evaluation, from_seq=2)
        assert read(client, evaluation)["played"][0]["returns"] == [1.0]


class TestChoosing:
    def test_a_member_is_taken_from_a_kept_checkpoint(self, client, worker, make_worker, run_id):
        keep_checkpoint(worker, run_id)
        answer = client.post("/api/v1/evaluations", json={"policies": [{"run": run_id, "member": 2, "step": 20}]})
        assert answer.status_code == 201, answer.text
        assert (answer.json()["policies"][0]["choice"], answer.json()["policies"][0]["step"]) == ("2", 20)
        idle = make_worker("second").of_evaluations()  # the first one still trains
        [policy] = idle.claim(answer.json()["id"]).json()["payload"]["policies"]
        assert (policy["file"], policy["sha256"]) == ("000001.npz", sha256(checkpoint_file()))
        assert (policy["checkpoint_of"]["run_id"], policy["checkpoint_of"]["member"]) == (run_id, "2")

    def test_what_is_not_there_is_refused(self, client, worker, run_id):
        answer = ask(client, run_id)
        assert answer.status_code == 409 and "left no policy" in answer.json()["detail"]
        keep_checkpoint(worker, run_id)
        for choice, status, words in (
            ({"step": 30}, 409, "Those that it keeps: 20."),
            ({"member": 9}, 422, "a number from 0 to 3"),
            ({"member": "worst"}, 422, ""),
        ):
            answer = client.post("/api/v1/evaluations", json={"policies": [{"run": run_id, **choice}]})
            assert answer.status_code == status, answer.text
            assert words in (answer.json()["remedy"] or "")
        assert ask(client, 999).status_code == 404
        assert client.get("/api/v1/evaluations").json()["items"] == []

    def test_another_environment_needs_the_same_spaces(self, client, played_run):
        answer = ask(client, played_run, environment="CartPole-v1")
        assert answer.status_code == 422 and "CartPole-v1 has 4 float32" in answer.json()["detail"]
        answer = ask(client, played_run, environment="gymnasium:Pendulumm-v1")
        assert answer.status_code == 422 and "Pendulum-v1" in answer.json()["remedy"]
        assert ask(client, played_run, environment="nowhere:at all").status_code == 422

    def test_the_request_is_bounded(self, client, played_run):
        for wrong in ({"episodes": 0}, {"episodes": 1001}, {"films": 11}, {"seed": -1}, {"policies": []}):
            assert ask(client, played_run, **wrong).status_code == 422, wrong

    def test_the_same_call_twice_is_one_evaluation(self, client, played_run):
        body = {"policies": [{"run": played_run}]}
        sent = [
            client.post("/api/v1/evaluations", json=body, headers={"Idempotency-Key": "once"}).json() for _ in range(2)
        ]
        assert sent[0] == sent[1]
        assert client.get("/api/v1/evaluations").json()["total"] == 1


def test_it_waits_for_a_worker_that_can_play_it(client, scheduler, make_worker, played_run):
    """The only worker lacks the suite of the other environment, and the queue says so."""
    other = ask(client, played_run, environment="gymnax:Pendulum-v1")
    assert other.status_code == 409 and "the suite 'gymnax'" in other.json()["detail"]
    evaluation = ask(client, played_run, environment="gymnax:Pendulum-v1", wait_for_worker=True).json()["id"]
    scheduler.tick()
    assert read(client, evaluation)["status"] == "queued"
    [waiting] = client.get("/api/v1/queue").json()["waiting"]
    assert (waiting["kind"], waiting["payload_id"], waiting["run_id"]) == ("evaluation", evaluation, None)
    assert waiting["reason"] == "no_worker" and "the suite 'gymnax'" in waiting["explanation"]
    make_worker("second", suites=["gymnasium", "gymnax"])
    scheduler.tick()
    assert read(client, evaluation)["status"] == "dispatched"


def test_a_policy_that_cannot_play_says_why(client, player, played_run):
    evaluation = ask(client, played_run).json()["id"]
    player.take(evaluation)
    failed = {"kind": "failed", "message": "it is gone", "remedy": "choose another"}
    player.report(evaluation, 1, numbered(failed))
    found = read(client, evaluation)
    assert (found["status"], found["error"], found["remedy"]) == ("failed", "it is gone", "choose another")
    assert client.post(f"/api/v1/evaluations/{evaluation}/retry").json()["status"] == "queued"


def test_a_worker_gets_the_policies_of_its_own_evaluations_only(client, player, make_worker, played_run):
    evaluation = ask(client, played_run).json()["id"]
    [policy] = player.claim(evaluation).json()["payload"]["policies"]
    stranger = make_worker("second")
    assert stranger.get(f"/artifacts/{policy['artifact_id']}/content").status_code == 404


def test_results_outlive_their_run_and_name_it_no_more(client, context, player, played_run, sweep):
    evaluation = ask(client, played_run, episodes=1).json()["id"]
    player.take(evaluation)
    player.report(evaluation, 1, numbered(loaded(), played([1.0]), FINISHED))
    experiment = client.get(f"/api/v1/runs/{played_run}").json()["experiment_id"]
    assert client.delete(f"/api/v1/experiments/{experiment}").status_code == 204
    assert read(client, evaluation)["policies"][0]["run_id"] is None
    sweep()
    [policy] = read(client, evaluation)["policies"]
    assert (policy["run_id"], policy["name"], policy["summary"]["mean"]) == (None, "backend-test", 1.0)


def test_nothing_of_a_deleted_evaluation_is_left(client, context, player, played_run, sweep):
    evaluation = ask(client, played_run, episodes=1, films=1).json()["id"]
    assert client.delete(f"/api/v1/evaluations/{evaluation}").status_code == 409
    player.take(evaluation)
    player.upload(evaluation, 1, "policy-0-episode-0.mp4", FILM, sha256(FILM))
    player.report(evaluation, 1, numbered(loaded(), played([1.0]), film(), FINISHED))
    with context.database.read() as session:
        job_id = session.scalar(select(Evaluation.job_id))
    assert client.delete(f"/api/v1/evaluations/{evaluation}").status_code == 204
    assert client.get(f"/api/v1/evaluations/{evaluation}").status_code == 404
    sweep()
    with context.database.read() as session:
        left = [session.scalar(select(func.count()).select_from(table)) for table in (Evaluation, EvaluationPolicy)]
        left += [
            session.scalar(select(func.count()).where(column == job_id))
            for column in (Event.job_id, Artifact.job_id, Job.id)
        ]
    assert left == [0] * 5
