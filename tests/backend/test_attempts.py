"""Lease and fence: who may take a job, who may write, and what becomes of a job whose worker is gone.

What holds for every kind of job is tested with every kind.
"""

import threading
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

from phylon.backend.kit import clock
from phylon.backend.models import Job
from phylon.spec import study_to_yaml

from .studies import MACHINE, SPEC

EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
STARTED = {
    "kind": "started",
    "seq": 0,
    "step": 0,
    "wall": 0.0,
    "resumed": False,
    "strategy": "vectorized",
    "explanation": "the spec asked for it",
    "devices": ["cpu:0", "cpu:1"],
    "versions": {"jax": "0.10.2"},
    "parameters": 1234,
}
FIRST_EVENT = {
    "run": STARTED,
    "study": {"kind": "machine", "seq": 0, "step": 0, "wall": 0.0, "machine": MACHINE},
}
FINISHED = {"run": {"best_member": 1, "fitness": 3.0}, "study": {}}


class Subject(NamedTuple):
    """A job in the queue, as its users and its worker see it."""

    kind: str
    id: int
    client: Any
    worker: Any
    job_id: int

    @property
    def path(self) -> str:
        return f"/api/v1/{'runs' if self.kind == 'run' else 'studies'}/{self.id}"

    def read(self) -> dict[str, Any]:
        return self.client.get(self.path).json()

    def stop(self) -> Any:
        return self.client.post(f"{self.path}/stop")

    def of(self, worker: Any) -> Any:
        """This worker, in the words of the job's kind."""
        return worker if self.kind == "run" else worker.of_studies()

    def finished(self, seq: int) -> dict[str, Any]:
        return {"kind": "finished", "seq": seq, "step": 2, "wall": 9.0, **FINISHED[self.kind]}


@pytest.fixture(params=["run", "study"])
def job(request, client, submit, worker) -> Subject:
    if request.param == "run":
        id = submit()["runs"][0]["id"]
    else:
        id = client.post("/api/v1/studies", json={"yaml": study_to_yaml(SPEC)}).json()["id"]
        worker = worker.of_studies()
    return Subject(request.param, id, client, worker, worker.job_id(id))


@pytest.fixture
def stored(context, job):
    """A column of the job."""

    def read(column: str) -> Any:
        with context.database.read() as session:
            return getattr(session.get(Job, job.job_id), column)

    return read


def expire_lease(context, job):
    with context.database.write() as session:
        session.get(Job, job.job_id).lease_expires_at = clock.now() - timedelta(seconds=1)


class TestClaim:
    def test_the_claim_has_all_that_a_trainer_needs(self, client, spec, worker, run_id):
        answer = worker.claim(run_id)
        assert answer.status_code == 200
        claim = answer.json()
        assert (claim["kind"], claim["attempt"], claim["lease_seconds"], claim["next_seq"]) == ("run", 1, 15.0, 0)
        payload = claim["payload"]
        assert (payload["run_id"], payload["seed"], payload["checkpoints"]) == (run_id, 7, [])
        assert payload["spec"]["algorithm"]["discount"] == {"uniform": [0.9, 0.99]}
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["worker_name"], run["attempts"]) == ("running", "first", 1)
        assert run["started_at"] is not None

    def test_of_many_that_claim_at_once_one_wins(self, job, stored, make_worker):
        workers = [job.of(make_worker(f"worker-{number}")) for number in range(6)]
        barrier, codes = threading.Barrier(len(workers)), []

        def claim(worker):
            barrier.wait()
            codes.append(worker.claim(job.id).status_code)

        threads = [threading.Thread(target=claim, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(codes) == [200] + [409] * 5
        assert stored("attempt") == 1

    def test_a_second_claim_is_refused(self, job, make_worker):
        job.worker.take(job.id)
        answer = job.of(make_worker("second")).claim(job.id)
        assert answer.status_code == 409
        assert "running" in answer.json()["detail"]

    def test_a_worker_has_one_slot(self, job, submit, worker):
        job.worker.take(job.id)
        answer = worker.claim(submit()["runs"][0]["id"])
        assert answer.status_code == 409
        assert f"still holds job {job.job_id}, a {job.kind}, on the slots" in answer.json()["detail"]

    def test_a_worker_without_the_suite_is_refused(self, make_worker, run_id):
        answer = make_worker("bare", suites=["probe"]).claim(run_id)
        assert answer.status_code == 409
        assert "gymnasium" in answer.json()["detail"]

    def test_unknown_job_or_worker(self, job):
        assert job.worker.post("/jobs/99/claim", {"worker_id": job.worker.id}).status_code == 404
        assert job.worker.post(f"/jobs/{job.job_id}/claim", {"worker_id": 99}).status_code == 403

    def test_a_stopped_job_cannot_be_claimed(self, job):
        assert job.stop().json()["status"] == "stopped"
        assert job.worker.claim(job.id).status_code == 409


class TestFence:
    @pytest.mark.parametrize("write", ["report", "resume", "release", "upload"])
    def test_an_old_attempt_can_write_nothing(self, job, context, scheduler, make_worker, write):
        job.worker.take(job.id)
        job.worker.report(job.id, 1, [FIRST_EVENT[job.kind]])
        expire_lease(context, job)
        scheduler.tick()
        writes = {
            "report": lambda: job.worker.report(job.id, 1, [job.finished(1)]),
            "resume": lambda: job.worker.resume(job.id, 1, 0),
            "release": lambda: job.worker.release(job.id, 1),
            "upload": lambda: job.worker.upload(job.id, 1, "000001.npz", b"x", "0" * 64),
        }
        lost = writes[write]()
        assert lost.status_code == 409
        assert "lost" in lost.json()["detail"]

        assert job.of(make_worker("second")).take(job.id, from_seq=1) == 2
        before = job.read()
        late = writes[write]()
        assert late.status_code == 409
        assert "attempt 2 is the newest" in late.json()["detail"]
        assert job.read() == before
        assert not list(context.settings.artifacts.glob("*/*"))

    def test_a_late_heartbeat_keeps_a_job_that_nobody_took(self, job, context, stored):
        attempt = job.worker.take(job.id)
        expire_lease(context, job)
        assert job.worker.report(job.id, attempt).status_code == 200
        assert stored("lease_expires_at") > clock.now()

    def test_after_the_outcome_logs_and_artifacts_are_still_taken(self, job, stored):
        attempt = job.worker.take(job.id)
        job.worker.report(job.id, attempt, [job.finished(0)])
        line = {"line": 0, "wall": 9.0, "stream": "supervisor", "text": "done"}
        answer = job.worker.report(job.id, attempt, [job.finished(0)], [line])
        assert answer.json() == {"next_seq": 1, "next_log_line": 1, "command": "continue", "gang": None}
        assert job.worker.upload(job.id, attempt, "000040.npz", b"", EMPTY_SHA256).status_code == 200
        assert job.worker.release(job.id, attempt).status_code == 204
        assert (job.read()["status"], stored("last_seq")) == ("finished", 0)
        assert [line["text"] for line in job.client.get(f"{job.path}/logs").json()["items"]] == ["done"]

    def test_events_of_another_kind_of_job_are_refused(self, job, stored):
        attempt = job.worker.take(job.id)
        foreign = FIRST_EVENT["study" if job.kind == "run" else "run"]
        answer = job.worker.report(job.id, attempt, [foreign])
        assert answer.status_code == 422
        assert f"no {job.kind} reports" in answer.json()["detail"]
        assert stored("last_seq") == -1

    @pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic YTpi"}])
    def test_worker_routes_need_the_token(self, client, header):
        for path in ("register", "1/beat", "jobs/1/claim", "jobs/1/resume", "jobs/1/heartbeat", "jobs/1/release"):
            answer = client.post(f"/api/v1/worker/{path}", json={}, headers=header)
            assert answer.status_code == 401
            assert answer.json()["remedy"]
        assert client.get("/api/v1/worker/artifacts/1/content", headers=header).status_code == 401
        assert client.put("/api/v1/worker/jobs/1/artifacts/a", headers=header).status_code == 401


class TestLeaseExpiry:
    def test_a_lost_job_is_queued_again_and_goes_on(self, job, context, stored, scheduler, make_worker):
        job.worker.take(job.id)
        job.worker.report(job.id, 1, [FIRST_EVENT[job.kind]])
        expire_lease(context, job)
        scheduler.tick()
        assert job.read()["status"] in ("queued", "dispatched")
        assert job.of(make_worker("second")).take(job.id, from_seq=1) == 2
        assert (job.read()["status"], job.read()["worker_name"]) == ("running", "second")
        assert (stored("attempt"), stored("attempts_used"), stored("last_seq")) == (2, 2, 0)

    def test_a_living_lease_is_left_alone(self, job, scheduler):
        job.worker.take(job.id)
        scheduler.tick()
        assert job.read()["status"] == "running"

    def test_after_a_pause_workers_get_a_lease_to_be_heard_again(self, job, context, scheduler):
        """The API was down: nobody could renew, so nobody is given up for it."""
        job.worker.take(job.id)
        expire_lease(context, job)
        scheduler._last_tick = float("-inf")
        scheduler.tick()
        scheduler.tick()
        assert job.read()["status"] == "running"
        assert job.worker.report(job.id, 1).status_code == 200

    def test_a_job_that_keeps_breaking_fails(self, job, context, stored, scheduler):
        for number in range(1, 6):
            assert job.worker.take(job.id) == number
            if number % 2:
                expire_lease(context, job)
                scheduler.tick()
            else:
                job.worker.release(job.id, number, "crashed", "exit code -11")
        assert (job.read()["status"], stored("attempt"), stored("max_attempts")) == ("failed", 5, 5)
        assert "All 5 attempts" in stored("error")["message"]
        assert "first was not heard of" in stored("error")["message"]
        assert stored("error")["remedy"]
        assert job.read()["finished_at"] is not None
        shown = job.read()["error"]
        assert (shown["message"] if job.kind == "run" else shown) == stored("error")["message"]
        assert job.worker.claim(job.id).status_code == 409

    def test_a_worker_that_leaves_in_order_costs_no_attempt(self, job, stored):
        for number in range(1, 9):
            assert job.worker.take(job.id) == number
            assert job.worker.release(job.id, number, "worker_shutdown", "").status_code == 204
        assert (job.read()["status"], stored("attempt"), stored("attempts_used")) == ("queued", 8, 0)

    def test_the_newest_attempt_is_known_whether_or_not_it_counts(self, client, worker, run_id):
        for number in (1, 2):
            worker.take(run_id)
            worker.release(run_id, number, "worker_shutdown", "")
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["attempt"], run["attempts"]) == (2, 0)

    @pytest.mark.parametrize("how", ["expiry", "release"])
    def test_a_stopping_job_whose_worker_is_gone_is_stopped(self, job, context, scheduler, how):
        job.worker.take(job.id)
        job.stop()
        if how == "expiry":
            expire_lease(context, job)
            scheduler.tick()
        else:
            job.worker.release(job.id, 1, "crashed", "killed")
        assert (job.read()["status"], job.read()["error"]) == ("stopped", None)

    def test_released_twice_is_refused(self, job):
        job.worker.take(job.id)
        assert job.worker.release(job.id, 1, detail="its last words: \0").status_code == 204
        assert job.worker.release(job.id, 1).status_code == 409


class TestStop:
    def test_the_worker_hears_of_it_and_stops(self, job):
        attempt = job.worker.take(job.id)
        assert job.stop().json()["status"] == "stopping"
        assert job.stop().json()["status"] == "stopping"
        assert job.worker.report(job.id, attempt).json()["command"] == "stop"
        job.worker.report(job.id, attempt, [{"kind": "stopped", "seq": 0, "step": 50, "wall": 1.0}])
        assert job.read()["status"] == "stopped"
        assert job.stop().status_code == 409

    def test_a_job_that_finishes_before_it_hears_of_it_has_finished(self, job):
        attempt = job.worker.take(job.id)
        job.stop()
        job.worker.report(job.id, attempt, [job.finished(0)])
        assert job.read()["status"] == "finished"


class TestDoorbell:
    """Those who watch hear of every change, no matter who made it."""

    @pytest.fixture
    def rings(self, context, monkeypatch):
        heard = []
        monkeypatch.setattr(context.doorbell, "ring", heard.append)
        return heard

    def test_every_change_rings(self, job, context, scheduler, rings):
        def dispatch():
            scheduler.tick()

        def expire():
            expire_lease(context, job)
            scheduler.tick()

        def take_back():
            with context.database.write() as session:
                session.get(Job, job.job_id).dispatched_at = clock.now() - timedelta(seconds=1000)
            scheduler.tick()

        report = [FIRST_EVENT[job.kind]]
        steps = {
            "dispatch": dispatch,
            "take back": take_back,
            "claim": lambda: job.worker.claim(job.id),
            "resume": lambda: job.worker.resume(job.id, 1, 0),
            "report": lambda: job.worker.report(job.id, 1, report),
            "expire": expire,
            "claim again": lambda: job.worker.claim(job.id),
            "release": lambda: job.worker.release(job.id, 2),
            "claim once more": lambda: job.worker.claim(job.id),
            "stop": job.stop,
            "give back": lambda: job.worker.release(job.id, 3),
        }
        for name, step in steps.items():
            rings.clear()
            step()
            assert f"job {job.job_id}" in rings, name
        assert job.read()["status"] == "stopped"
