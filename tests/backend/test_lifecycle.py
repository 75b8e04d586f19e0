"""Pause, resume, retry and extend: what each does in every status, to whom it is allowed, and what attempts keep."""

import hashlib
from typing import Any, NamedTuple

import pytest

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.dependencies import get_viewer
from phylon.backend.jobs import repository
from phylon.backend.jobs.changes import request_yield
from phylon.backend.kit import clock
from phylon.backend.models import Job, User
from phylon.contract.vocabulary import JobStatus, Role
from phylon.spec import study_to_yaml

from .studies import SPEC

DATABASES = ("postgres",)
"""SQLite is what the integration tests run on."""

FINAL = {
    "member": 1,
    "span": 1,
    "mean": 12.5,
    "stderr": 1.0,
    "low": 10.0,
    "high": 15.0,
    "episodes": 10,
    "last_return": 14.0,
    "selection_bias": 1.5,
    "unseen_levels": False,
}
MORE = {"budget": {"env_steps": 4000}}


def event(kind: str, seq: int, step: int = 0, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "seq": seq, "step": step, "wall": float(seq), **fields}


def finished(kind: str, seq: int, step: int = 2000, reason: str = "budget") -> dict[str, Any]:
    of_run = {"reason": reason, "best_member": 1, "fitness": 3.0, "final": FINAL}
    return event("finished", seq, step, **(of_run if kind == "run" else {}))


def failed(kind: str, seq: int) -> dict[str, Any]:
    of_run = {"member": 2, "hyperparams": {"discount": 0.9}} if kind == "run" else {}
    return event("failed", seq, 120, message="it broke", remedy="mend it", **of_run)


class Subject(NamedTuple):
    """A job in the queue, as its users and its worker see it."""

    kind: str
    id: int
    client: Any
    worker: Any
    scheduler: Any

    @property
    def path(self) -> str:
        return f"/api/v1/{'runs' if self.kind == 'run' else 'studies'}/{self.id}"

    def read(self) -> dict[str, Any]:
        return self.client.get(self.path).json()

    def ask(self, action: str) -> Any:
        return self.client.post(f"{self.path}/{action}", json=MORE if action == "extend" else None)

    def report(self, attempt: int, *events: dict[str, Any]) -> Any:
        return self.worker.report(self.id, attempt, events)

    def command(self, attempt: int) -> str:
        return self.report(attempt).json()["command"]

    def bring_to(self, status: str) -> None:
        if status in ("running", "stopping", "finished", "failed"):
            self.worker.take(self.id)
        match status:
            case "dispatched":
                self.scheduler.tick()
            case "stopping" | "stopped":
                self.ask("stop")
            case "paused":
                self.ask("pause")
            case "finished":
                self.report(1, finished(self.kind, 0))
            case "failed":
                self.report(1, failed(self.kind, 0))
            case _:
                pass
        assert self.read()["status"] == status


@pytest.fixture(params=["run", "study"])
def job(request, client, submit, worker, scheduler) -> Subject:
    if request.param == "run":
        return Subject("run", submit()["runs"][0]["id"], client, worker, scheduler)
    id = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC)}).json()["id"]
    return Subject("study", id, client, worker.of_studies(), scheduler)


@pytest.fixture
def run(client, submit, worker, scheduler) -> Subject:
    return Subject("run", submit()["runs"][0]["id"], client, worker, scheduler)


@pytest.fixture
def stored(context):
    def read(subject: Subject, column: str) -> Any:
        with context.database.read() as session:
            return getattr(session.get(Job, subject.worker.job_id(subject.id)), column)

    return read


ALLOWED = {
    "stop": {"queued": "stopped", "dispatched": "stopped", "paused": "stopped"},
    "pause": {"queued": "paused", "dispatched": "paused", "running": "running"},
    "resume": {"paused": "queued", "stopped": "queued"},
    "retry": {"failed": "queued"},
    "extend": {"finished": "queued", "stopped": "queued"},
}
"""The status that each action leads to at once; in all others it is refused."""


TRANSITIONS = [(action, here, there) for action, fits in ALLOWED.items() for here, there in fits.items()]


@pytest.mark.parametrize("status", JobStatus)
def test_in_every_other_status_an_action_is_refused(job, status):
    job.bring_to(status)
    before = job.read()
    for action, fits in ALLOWED.items():
        if status in fits or (job.kind, action) == ("study", "extend"):
            continue
        if action == "stop" and status in ("running", "stopping"):
            continue
        answer = job.ask(action)
        assert answer.status_code == 409, (action, status)
        assert status in answer.json()["detail"] and answer.json()["remedy"]
    assert job.read() == before


@pytest.mark.parametrize(("action", "here", "there"), TRANSITIONS)
def test_where_an_action_leads(run, stored, action, here, there):
    run.bring_to(here)
    answer = run.ask(action)
    assert (answer.status_code, answer.json()["status"]) == (200, there), answer.text
    read = run.read()
    assert (read["status"], read["finished_at"] is not None, read["error"]) == (there, there == "stopped", None)
    assert (stored(run, "yield_to"), read["is_pausing"]) == (("paused", True) if here == "running" else (None, False))
    if there == "queued":
        assert run.worker.claim(run.id).status_code == 200


class TestPause:
    def test_the_worker_hears_of_it_and_hands_back(self, job, stored):
        job.worker.take(job.id)
        assert job.command(1) == "continue"
        job.ask("pause")
        assert job.command(1) == "yield"
        assert job.worker.release(job.id, 1, "yielded", "").status_code == 204
        assert job.read()["status"] == "paused"
        assert (stored(job, "attempt"), stored(job, "attempts_used")) == (1, 0), "it costs no attempt"
        job.scheduler.tick()
        assert job.read()["status"] == "paused", "nobody sends it anywhere"
        assert job.worker.claim(job.id).status_code == 409
        job.ask("resume")
        assert job.worker.take(job.id, from_seq=0) == 2
        assert job.command(2) == "continue"

    def test_a_message_on_its_way_is_void(self, job):
        job.bring_to("dispatched")
        job.ask("pause")
        answer = job.worker.claim(job.id)
        assert answer.status_code == 409 and "paused" in answer.json()["detail"]

    @pytest.mark.parametrize("reason", ["crashed", "worker_shutdown"])
    def test_an_attempt_that_ends_otherwise_leaves_it_paused_too(self, job, reason):
        job.worker.take(job.id)
        job.ask("pause")
        job.worker.release(job.id, 1, reason)
        assert job.read()["status"] == "paused"

    def test_one_that_finishes_first_has_finished(self, job, stored):
        job.worker.take(job.id)
        job.ask("pause")
        job.report(1, finished(job.kind, 0))
        assert (job.read()["status"], stored(job, "yield_to")) == ("finished", None)

    def test_stopping_prevails(self, job):
        job.worker.take(job.id)
        job.ask("pause")
        assert job.ask("stop").json()["status"] == "stopping"
        assert job.command(1) == "stop"
        job.worker.release(job.id, 1, "yielded", "")
        assert job.read()["status"] == "stopped"

    def test_it_can_be_taken_back(self, job):
        job.worker.take(job.id)
        job.ask("pause")
        assert job.ask("resume").json()["status"] == "running"
        assert job.command(1) == "continue"
        job.worker.release(job.id, 1, "yielded", "")  # the process had obeyed already
        assert job.read()["status"] == "queued"

    def test_a_paused_job_can_be_stopped_but_not_deleted(self, client, run):
        run.bring_to("paused")
        experiment = f"/api/v1/experiments/{run.read()['experiment_id']}"
        assert client.get(experiment).json()["status"] == "paused"
        assert client.get("/api/v1/experiments", params={"status": "paused"}).json()["total"] == 1
        assert client.delete(experiment).status_code == 409
        assert run.ask("stop").json()["status"] == "stopped"
        assert client.delete(experiment).status_code == 204


class TestMakingRoom:
    """A job that a more urgent one displaces goes back to the queue instead."""

    def displace(self, context, job):
        with context.database.write() as session:
            found = repository.lock(session, job.worker.job_id(job.id))
            request_yield(session, context, found, JobStatus.QUEUED)

    def test_it_is_queued_again_at_no_cost(self, context, job, stored):
        job.worker.take(job.id)
        self.displace(context, job)
        assert job.command(1) == "yield"
        job.worker.release(job.id, 1, "yielded", "")
        assert (job.read()["status"], stored(job, "attempts_used")) == ("queued", 0)
        job.worker.take(job.id)
        assert job.command(2) == "continue"

    def test_a_pause_prevails_in_either_order(self, context, job):
        job.worker.take(job.id)
        self.displace(context, job)
        job.ask("pause")
        self.displace(context, job)
        job.worker.release(job.id, 1, "yielded", "")
        assert job.read()["status"] == "paused"


def checkpoint(worker, run_id: int, attempt: int, seq: int, step: int) -> None:
    content = b"checkpoint %d" % step
    sha256, name = hashlib.sha256(content).hexdigest(), f"{step:06}.npz"
    assert worker.upload(run_id, attempt, name, content, sha256, step).status_code == 200
    reported = event("checkpoint", seq, step, number=step, file=name, bytes=len(content), sha256=sha256)
    assert worker.report(run_id, attempt, [reported]).json()["next_seq"] == seq + 1


class TestAttempts:
    def test_progress_gives_them_back(self, run):
        for number in range(1, 13):
            run.worker.take(run.id, from_seq=number - 1)
            checkpoint(run.worker, run.id, number, number - 1, 100 * number)
            assert run.read()["attempts"] == 1
            run.worker.release(run.id, number)
        assert run.read()["status"] == "queued", "twelve workers were lost, and it came ahead with each"
        for number in range(13, 17):
            run.worker.take(run.id, from_seq=12)
            run.worker.release(run.id, number)
        assert (run.read()["status"], run.read()["attempts"]) == ("failed", 5)

    def test_a_worker_that_leaves_after_progress_is_not_counted_twice(self, run):
        run.worker.take(run.id)
        run.worker.release(run.id, 1)
        run.worker.take(run.id)
        checkpoint(run.worker, run.id, 2, 0, 100)
        run.worker.release(run.id, 2, "worker_shutdown")
        assert run.read()["attempts"] == 0
        run.worker.take(run.id, from_seq=1)
        assert run.read()["attempts"] == 1

    def test_a_retried_job_has_all_of_them_again(self, job):
        for number in range(1, 6):
            job.worker.take(job.id)
            job.worker.release(job.id, number)
        assert (job.read()["status"], job.read()["error"] is not None) == ("failed", True)
        job.ask("retry")
        for number in range(6, 11):
            assert job.read()["status"] == "queued"
            job.worker.take(job.id)
            job.worker.release(job.id, number)
        assert job.read()["status"] == "failed"

    def test_each_keeps_what_it_came_to(self, client, run, make_worker):
        run.worker.take(run.id)
        checkpoint(run.worker, run.id, 1, 0, 400)
        run.report(1, event("metrics", 1, 500, frames={}))
        run.worker.release(run.id, 1, "crashed", "exit code -9")
        second = make_worker("second")
        second.take(run.id, from_seq=1)
        second.report(run.id, 2, [failed("run", 1)])
        run.ask("retry")
        second.take(run.id, from_seq=1)
        page = client.get(f"{run.path}/attempts").json()
        assert page["total"] == 3 and page["next"] is None
        first, broken, present = page["items"]
        assert all(each.pop("began_at") for each in (first, broken, present))
        assert first.pop("ended_at") and broken.pop("ended_at")
        nothing = {"end_reason": None, "final": None, "ranks": []}
        assert first == {"number": 1, "worker_name": "first", "end": "crashed", "detail": "exit code -9"} | nothing | {
            "checkpoint": None,
            "from_step": 0,
            "to_step": 500,
        }
        assert broken == {"number": 2, "worker_name": "second", "end": "failed", "detail": "it broke"} | nothing | {
            "checkpoint": "000400.npz",
            "from_step": 400,
            "to_step": 120,
        }
        assert (present["end"], present["ended_at"], present["to_step"]) == (None, None, None)
        assert (present["checkpoint"], present["from_step"]) == ("000400.npz", 400)
        assert client.get("/api/v1/runs/99999/attempts").status_code == 404


class TestExtend:
    def finish(self, run: Subject, reason: str = "budget") -> None:
        run.worker.take(run.id)
        checkpoint(run.worker, run.id, 1, 0, 2000)
        run.report(1, finished("run", 1, reason=reason))
        assert run.read()["final"] == FINAL

    def ask(self, run: Subject, **budget: Any) -> Any:
        return run.client.post(f"{run.path}/extend", json={"budget": budget})

    def test_the_run_goes_on_with_all_that_it_had(self, client, run):
        self.finish(run)
        before = client.get(f"/api/v1/experiments/{run.read()['experiment_id']}").json()["spec"]
        extended = self.ask(run, env_steps=4000).json()
        assert (extended["status"], extended["total_steps"]) == ("queued", 4000)
        assert extended["extended_budget"] == before["budget"] | {"env_steps": 4000}
        payload = run.worker.claim(run.id).json()["payload"]
        assert payload["spec"] == before | {"budget": extended["extended_budget"]}
        assert [each["file"] for each in payload["checkpoints"]] == ["002000.npz"]
        after = client.get(f"/api/v1/experiments/{run.read()['experiment_id']}").json()
        assert after["spec"] == before, "what was submitted stays as it was"
        [row] = client.get("/api/v1/experiments").json()["items"]
        assert row["total_steps"] == 4000

    def test_the_result_so_far_becomes_that_of_an_attempt(self, client, run):
        self.finish(run)
        self.ask(run, env_steps=4000)
        assert run.read()["final"] == FINAL, "while it waits nothing is void yet"
        run.worker.take(run.id, from_seq=1)
        assert (run.read()["final"], run.read()["end_reason"]) == (None, None)
        [first, second] = client.get(f"{run.path}/attempts").json()["items"]
        assert (first["final"], first["end_reason"], first["to_step"]) == (FINAL, "budget", 2000)
        assert (second["final"], second["checkpoint"], second["from_step"]) == (None, "002000.npz", 2000)
        run.report(2, finished("run", 1, 4000))
        assert self.ask(run, env_steps=6000).json()["extended_budget"]["env_steps"] == 6000, "again"

    def test_a_stopped_run_can_be_extended_before_it_goes_on(self, run):
        run.bring_to("stopped")
        assert self.ask(run, env_steps=4000).json()["total_steps"] == 4000

    def test_a_length_that_does_not_fit_is_moved_to_a_border(self, run):
        self.finish(run)
        steps = self.ask(run, env_steps=4001).json()["total_steps"]
        assert steps > 4000 and steps % 50 == 0

    @pytest.mark.parametrize(
        ("budget", "said"),
        [
            ({"env_steps": 1000}, "budget.env_steps would be tighter"),
            ({"env_steps": 4000, "seconds": 60.0}, "budget.seconds would be tighter"),
            ({"env_steps": 2000}, "the same as before"),
            ({}, "the same as before"),
        ],
    )
    def test_what_is_no_extension_is_refused(self, run, budget, said):
        self.finish(run)
        answer = self.ask(run, **budget)
        assert answer.status_code == 409 and said in answer.json()["detail"] and answer.json()["remedy"]
        assert (run.read()["status"], run.read()["total_steps"]) == ("finished", 2000)

    @pytest.mark.parametrize("budget", [{"env_steps": -1}, {"env_steps": "many"}, {"steps": 4000}])
    def test_what_is_no_budget_is_refused(self, run, budget):
        self.finish(run)
        answer = self.ask(run, **budget)
        assert answer.status_code == 422 and answer.json()["problems"][0]["path"].startswith("budget")
        assert run.read()["status"] == "finished"

    def test_the_limit_that_ended_it_must_be_loosened(self, client, submit, worker, scheduler):
        id = submit(budget={"env_steps": 2000, "target_return": 10.0})["runs"][0]["id"]
        run = Subject("run", id, client, worker, scheduler)
        early = client.get(f"{run.path}/extension").json()
        assert "is queued" in early["refusal"] and early["remedy"] and early["ended_by"] is None
        self.finish(run, reason="target_return")
        outlook = client.get(f"{run.path}/extension").json()
        assert (outlook["ended_by"], outlook["refusal"], outlook["steps_refusal"]) == ("target_return", None, None)
        assert (outlook["budget"]["env_steps"], outlook["budget"]["target_return"]) == (2000, 10.0)
        answer = self.ask(run, env_steps=4000)
        assert answer.status_code == 409 and "budget.target_return" in answer.json()["detail"]
        budget = self.ask(run, target_return=None).json()["extended_budget"]
        assert (budget["target_return"], budget["env_steps"]) == (None, 2000)

    @pytest.mark.parametrize(
        ("path", "value", "said"),
        [
            ("algorithm", {"learning_rate_decay": {"shape": "linear"}}, "algorithm.learning_rate_decay"),
            ("population", {"method": {"name": "pb2", "interval": 400}}, "population.method pb2"),
        ],
    )
    def test_what_was_trained_for_its_budget_is_refused(
        self, client, submit, spec, worker, scheduler, path, value, said
    ):
        id = submit(**{path: spec[path] | value})["runs"][0]["id"]
        run = Subject("run", id, client, worker, scheduler)
        self.finish(run)
        answer = self.ask(run, env_steps=4000)
        assert answer.status_code == 409 and said in answer.json()["detail"]
        assert "new experiment" in answer.json()["remedy"]
        outlook = client.get(f"{run.path}/extension").json()
        assert (outlook["refusal"], outlook["remedy"]) == (answer.json()["detail"], answer.json()["remedy"])
        assert said in outlook["steps_refusal"]


class TestTogether:
    """All runs of an experiment or a group."""

    @pytest.fixture(params=["experiment", "group"])
    def whole(self, request, client, spec):
        """Its address, and its runs."""
        if request.param == "experiment":
            answer = client.post("/api/v1/experiments", json={"spec": spec | {"replicates": 2}}).json()
            return f"/api/v1/experiments/{answer['id']}", [run["id"] for run in answer["runs"]]
        base = {name: value for name, value in spec.items() if name not in ("version", "kind", "name")}
        document = {"version": 1, "kind": "group", "name": "both", "base": base}
        experiments = {"one": {"seed": 1}, "two": {"seed": 2}}
        group = client.post("/api/v1/groups", json={"spec": document | {"experiments": experiments}}).json()
        found = [client.get(f"/api/v1/experiments/{each['id']}").json() for each in group["experiments"]]
        return f"/api/v1/groups/{group['id']}", [run["id"] for each in found for run in each["runs"]]

    def statuses(self, client, run_ids):
        return [client.get(f"/api/v1/runs/{id}").json()["status"] for id in run_ids]

    def test_an_action_changes_all_that_it_fits(self, client, worker, whole):
        address, runs = whole
        worker.take(runs[0])
        assert client.post(f"{address}/pause").status_code == 200
        worker.release(runs[0], 1, "yielded", "")
        assert self.statuses(client, runs) == ["paused", "paused"]
        assert client.get(address).json()["status"] == "paused"
        assert client.post(f"{address}/pause").status_code == 409
        assert client.post(f"{address}/resume").status_code == 200
        assert self.statuses(client, runs) == ["queued", "queued"]
        worker.take(runs[0], 0)
        worker.report(runs[0], 2, [failed("run", 0)])
        client.post(f"{address}/retry")
        assert self.statuses(client, runs) == ["queued", "queued"]

    def test_all_are_extended_or_none(self, client, worker, whole):
        address, runs = whole
        worker.take(runs[0])
        worker.report(runs[0], 1, [finished("run", 0)])
        answer = client.post(f"{address}/extend", json=MORE)
        assert answer.status_code == 409 and f"Run {runs[1]} is queued" in answer.json()["detail"]
        assert self.statuses(client, runs) == ["finished", "queued"]
        worker.take(runs[1])
        worker.report(runs[1], 1, [finished("run", 0)])
        assert client.post(f"{address}/extend", json=MORE).status_code == 200
        assert self.statuses(client, runs) == ["queued", "queued"]
        assert {client.get(f"/api/v1/runs/{id}").json()["total_steps"] for id in runs} == {4000}


class TestRights:
    """A member changes their own things, an admin of the project all of it; user 1 owns everything here."""

    @pytest.fixture(autouse=True)
    def user_2(self, context):
        """What people do is recorded, so they must be there."""
        with context.database.write() as session:
            session.add(User(id=2, email="2@example.org", name="two", is_admin=False, created_at=clock.now()))

    @pytest.mark.parametrize(
        ("viewer", "allowed"),
        [
            (Viewer(1, "owner", is_admin=False, roles={1: Role.MEMBER}), True),
            (Viewer(2, "colleague", is_admin=False, roles={1: Role.MEMBER}), False),
            (Viewer(2, "head", is_admin=False, roles={1: Role.ADMIN}), True),
            (Viewer(1, "demoted", is_admin=False, roles={1: Role.VIEWER}), False),
            (Viewer(2, "operator", is_admin=True, roles={}), True),
        ],
        ids=lambda value: value.name if isinstance(value, Viewer) else "",
    )
    def test_who_may_change_a_job(self, app, job, viewer, allowed):
        job.bring_to("stopped")
        app.dependency_overrides[get_viewer] = lambda: viewer
        for action in ("resume", "pause"):
            answer = job.ask(action)
            assert answer.status_code == (200 if allowed else 403)
            if not allowed:
                assert answer.json()["type"] == "/problems/not-yours" and answer.json()["remedy"]
        assert job.read()["status"] == ("paused" if allowed else "stopped")

    def test_who_may_not_see_it_does_not_learn_that_it_exists(self, app, job):
        job.bring_to("stopped")
        app.dependency_overrides[get_viewer] = lambda: Viewer(2, "elsewhere", is_admin=False, roles={7: Role.ADMIN})
        assert job.ask("resume").status_code == 404

    @pytest.mark.parametrize("action", ALLOWED)
    def test_no_way_leads_around_it(self, app, client, run, action):
        """Who may not is refused before the status is looked at, so each action can be tried in any."""
        app.dependency_overrides[get_viewer] = lambda: Viewer(2, "colleague", is_admin=False, roles={1: Role.MEMBER})
        experiment = f"/api/v1/experiments/{run.read()['experiment_id']}"
        for address in (experiment, run.path):
            body = MORE if action == "extend" else None
            assert client.post(f"{address}/{action}", json=body).status_code == 403
