"""Workers as they register, beat and are listed."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.dependencies import get_viewer
from phylon.backend.kit import clock
from phylon.backend.models import Job, Worker
from phylon.backend.workers.load import measure
from phylon.backend.workers.repository import BusyTime

CHECKPOINT = {
    **{"kind": "checkpoint", "seq": 0, "step": 400, "wall": 1.0},
    **{"number": 1, "file": "000400.npz", "bytes": 1, "sha256": "0" * 64},
}


def listed(client):
    return {worker["id"]: worker for worker in client.get("/api/v1/workers").json()["items"]}


def silence(context, worker_id, **age):
    with context.database.write() as session:
        session.get(Worker, worker_id).last_seen_at = clock.now() - timedelta(**age)


def test_states(client, context, worker, run_id):
    assert listed(client)[worker.id]["state"] == "idle"
    worker.take(run_id)
    busy = listed(client)[worker.id]
    assert (busy["state"], busy["device"], busy["suites"]) == ("busy", "cpu", ["gymnasium", "probe"])
    job = {"job_id": worker.job_id(run_id), "kind": "run", "id": run_id, "name": "backend-test"}
    assert busy["slots"] == [{"number": 0, "is_free": False, "job": job}]
    silence(context, worker.id, seconds=16)
    assert listed(client)[worker.id]["state"] == "lost"
    worker.report(run_id, 1)
    assert listed(client)[worker.id]["state"] == "busy"
    silence(context, worker.id, days=2)
    assert listed(client) == {}


def test_a_worker_that_comes_back_takes_up_its_row_at_once(client, worker, run_id):
    worker.take(run_id)
    number = worker.id
    assert worker.register("first", device="gpu") == number
    assert [(row["id"], row["state"], row["device"]) for row in listed(client).values()] == [(number, "idle", "gpu")]
    run = client.get(f"/api/v1/runs/{run_id}").json()
    assert (run["status"], run["attempt"]) == ("queued", 1), "its job waits for no lease"
    assert "ended as lost" in worker.report(run_id, 1).json()["detail"]


def test_namesakes_stay_two(client, context, make_worker):
    first = make_worker("w")
    silence(context, first.id, days=1)
    assert make_worker("w").id != first.id


def test_a_copied_credential_serves_one_machine_at_a_time(context, make_worker):
    worker = make_worker("w", machine="one")
    copied = worker.registration(machine="other")
    answer = worker.post("/register", copied)
    assert answer.status_code == 409
    assert "runs on one" in answer.json()["detail"] and "code of its own" in answer.json()["remedy"]
    silence(context, worker.id, seconds=16)
    assert worker.post("/register", copied).status_code == 200


def test_a_worker_speaks_for_itself_alone(client, worker, make_worker, submit):
    other = make_worker("other")
    run_id = submit()["runs"][0]["id"]
    attempt = worker.take(run_id)
    assert other.post(f"/{worker.id}/beat").status_code == 403
    assert other.post(f"/jobs/{worker.job_id(run_id)}/claim", {"worker_id": worker.id}).status_code == 403
    assert other.report(run_id, attempt).status_code == 409
    assert other.release(run_id, attempt).status_code == 409
    assert other.upload(run_id, attempt, "a", b"x", "0" * 64).status_code == 409
    content = b"weights"
    stored = worker.upload(run_id, attempt, "000001.npz", content, hashlib.sha256(content).hexdigest()).json()
    path = f"/artifacts/{stored['artifact_id']}/content"
    assert (worker.get(path).status_code, other.get(path).status_code) == (200, 404)


def test_a_code_enrols_once(client, worker):
    code = client.post("/api/v1/workers/codes", json={"name": "renamed"}).json()["code"]
    body = {"code": code, "registration": worker.registration()}
    enrolled = client.post("/api/v1/worker/enrol", json=body)
    assert enrolled.status_code == 201 and enrolled.json()["credential"].startswith("phylonw_")
    assert listed(client)[enrolled.json()["worker_id"]]["name"] == "renamed"
    headers = {"Authorization": f"Bearer {enrolled.json()['credential']}"}
    assert client.post("/api/v1/worker/register", json=body["registration"], headers=headers).status_code == 200
    again = client.post("/api/v1/worker/enrol", json=body)
    assert again.status_code == 403 and "phylon workers code" in again.json()["remedy"]


def test_an_enrolment_whose_answer_was_lost_is_repeated(client, worker):
    before = set(listed(client))
    body = {"code": client.post("/api/v1/workers/codes", json={}).json()["code"], "registration": worker.registration()}
    lost = client.post("/api/v1/worker/enrol", json=body).json()
    found = client.post("/api/v1/worker/enrol", json=body).json()
    assert found["worker_id"] == lost["worker_id"] and set(listed(client)) - before == {found["worker_id"]}

    def register(credential):
        headers = {"Authorization": f"Bearer {credential}"}
        return client.post("/api/v1/worker/register", json=body["registration"], headers=headers).status_code

    assert register(lost["credential"]) == 401, "the one that never arrived counts no more"
    assert register(found["credential"]) == 200


def test_a_revoked_worker_is_out_and_its_job_goes_on(client, worker, run_id):
    worker.take(run_id)
    assert client.post(f"/api/v1/workers/{worker.id}/revoke").status_code == 204
    assert client.get(f"/api/v1/runs/{run_id}").json()["status"] == "queued"
    assert worker.report(run_id, 1).status_code == 401
    assert listed(client) == {}


def test_beats_are_three_a_lease(worker):
    answer = worker.post("/register", {
        "name": "x", "device": "gpu", "device_name": "a card", "device_count": 1, "memory_bytes": 80 * 2**30,
        "versions": {}, "suites": [],
    })  # fmt: skip
    assert answer.json()["heartbeat_seconds"] == 5.0


def test_a_worker_cannot_beat_for_another(worker):
    assert worker.post("/999/beat").status_code == 403, "a worker speaks for itself alone"


@pytest.fixture
def submit_runs(submit):
    """Runs of as many experiments: none has to do with another."""
    return lambda count: [submit()["runs"][0]["id"] for _ in range(count)]


@pytest.fixture
def stored(context):
    def read(model, id, column):
        with context.database.read() as session:
            return getattr(session.get(model, id), column)

    return read


def crash(worker, run_id):
    worker.release(run_id, worker.take(run_id))


def operate(client, worker, action, body=None):
    return client.post(f"/api/v1/workers/{worker.id}/{action}", json=body)


class TestTrust:
    def test_a_broken_worker_is_quarantined_and_its_jobs_are_as_before(self, client, worker, submit_runs, stored):
        runs = submit_runs(3)
        for run_id in runs:
            assert listed(client)[worker.id]["state"] == "idle"
            crash(worker, run_id)
        found = listed(client)[worker.id]
        assert (found["state"], found["quarantined_at"] is not None) == ("quarantined", True)
        assert "3 different jobs crashed here within 10 minutes" in found["reason"]
        assert [(job["kind"], job["id"]) for job in found["blamed_for"]] == [("run", run_id) for run_id in runs]
        for run_id in runs:
            job_id = worker.job_id(run_id)
            assert (stored(Job, job_id, "attempts_used"), stored(Job, job_id, "not_before")) == (0, None)
        assert worker.claim(runs[0]).status_code == 409

    def test_it_stays_so_after_a_restart_until_it_is_released(self, client, context, worker, submit_runs):
        for run_id in submit_runs(3):
            crash(worker, run_id)
        silence(context, worker.id, seconds=16)
        assert worker.register() == worker.id
        assert listed(client)[worker.id]["state"] == "quarantined"
        assert operate(client, worker, "release").json()["state"] == "idle"
        crash(worker, submit_runs(1)[0])
        assert listed(client)[worker.id]["state"] == "idle", "what was before is forgotten"
        refused = operate(client, worker, "release")
        assert (refused.status_code, bool(refused.json()["remedy"])) == (409, True)

    def test_a_worker_whose_device_fails_gets_nothing_until_it_works_again(
        self, client, scheduler, make_worker, stored, run_id
    ):
        worker = make_worker("w")
        scheduler.tick()
        job_id = worker.job_id(run_id)
        assert stored(Job, job_id, "status") == "dispatched"
        assert worker.post(f"/{worker.id}/fault", {"fault": "GPU 0 is occupied."}).status_code == 204
        found = listed(client)[worker.id]
        assert (found["state"], found["reason"], found["blamed_for"]) == ("quarantined", "GPU 0 is occupied.", [])
        assert stored(Job, job_id, "status") == "queued", "taken back at once"
        scheduler.tick()
        assert stored(Job, job_id, "status") == "queued"
        worker.post(f"/{worker.id}/fault", {"fault": None})
        assert listed(client)[worker.id]["state"] == "idle"
        scheduler.tick()
        assert stored(Job, job_id, "status") == "dispatched"

    def test_a_worker_cannot_lift_a_verdict(self, client, worker, submit_runs):
        for run_id in submit_runs(3):
            crash(worker, run_id)
        for fault in ("GPU 0 is occupied.", None):
            worker.post(f"/{worker.id}/fault", {"fault": fault})
            assert "3 different jobs" in listed(client)[worker.id]["reason"]

    def test_a_worker_may_come_with_a_fault(self, client, context, make_worker):
        worker = make_worker("w", fault="JAX does not compute.")
        assert listed(client)[worker.id]["reason"] == "JAX does not compute."
        silence(context, worker.id, seconds=16)
        worker.register("w")
        assert listed(client)[worker.id]["state"] == "idle"

    def test_a_job_that_crashes_on_two_workers_fails_and_keeps_its_history(self, client, make_worker, run_id):
        for name in ("one", "two"):
            crash(make_worker(name), run_id)
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["attempt"]) == ("failed", 2)
        assert "It crashed on one and two, so the fault is its own." in run["error"]["message"]
        assert run["error"]["remedy"]

    def test_each_retry_waits_twice_as_long(self, worker, stored, run_id):
        job_id, waits = worker.job_id(run_id), []
        for _ in range(4):
            before = clock.now()
            crash(worker, run_id)
            waits.append(stored(Job, job_id, "not_before") - before)
        for wait, seconds in zip(waits, (10, 20, 40, 80), strict=True):
            assert timedelta(seconds=seconds) <= wait < timedelta(seconds=2 * seconds)

    def test_the_scheduler_leaves_it_alone_until_then(self, context, scheduler, worker, stored, run_id):
        crash(worker, run_id)
        scheduler.tick()
        job_id = worker.job_id(run_id)
        assert stored(Job, job_id, "status") == "queued"
        with context.database.write() as session:
            session.get(Job, job_id).not_before = clock.now()
        scheduler.tick()
        assert stored(Job, job_id, "status") == "dispatched"

    def test_progress_gives_attempts_back(self, client, worker, run_id):
        def attempts():
            return client.get(f"/api/v1/runs/{run_id}").json()["attempts"]

        for _ in range(4):
            crash(worker, run_id)
        attempt = worker.take(run_id)
        assert attempts() == 5
        worker.report(run_id, attempt, [CHECKPOINT])
        assert attempts() == 1
        worker.release(run_id, attempt)
        assert client.get(f"/api/v1/runs/{run_id}").json()["status"] == "queued"

    def test_what_is_done_again_is_no_progress(self, client, worker, run_id):
        """A job whose checkpoints get lost must not be tried for ever."""
        for number in range(1, 7):
            attempt = worker.take(run_id, from_seq=0)
            assert attempt == number
            worker.report(run_id, attempt, [CHECKPOINT])
            worker.release(run_id, attempt)
            if client.get(f"/api/v1/runs/{run_id}").json()["status"] == "failed":
                break
        assert number == 5


class TestOperation:
    def test_a_draining_worker_keeps_its_job_and_gets_no_other(self, client, scheduler, worker, stored, submit_runs):
        first, second = submit_runs(2)
        attempt = worker.take(first)
        assert operate(client, worker, "drain", {}).json()["state"] == "draining"
        assert worker.report(first, attempt).json()["command"] == "continue"
        worker.report(first, attempt, [{"kind": "stopped", "seq": 0, "step": 1, "wall": 1.0}])
        scheduler.tick()
        assert stored(Job, worker.job_id(second), "status") == "queued"
        assert operate(client, worker, "undrain").json()["state"] == "idle"
        scheduler.tick()
        assert stored(Job, worker.job_id(second), "status") == "dispatched"
        operate(client, worker, "drain", {})
        assert stored(Job, worker.job_id(second), "status") == "queued", "taken back, since it was not taken yet"

    def test_at_once_its_jobs_are_asked_to_yield(self, client, worker, stored, run_id):
        attempt = worker.take(run_id)
        operate(client, worker, "drain", {"now": True})
        assert worker.report(run_id, attempt).json()["command"] == "yield"
        assert worker.release(run_id, attempt, "yielded", "").status_code == 204
        job_id = worker.job_id(run_id)
        assert (stored(Job, job_id, "status"), stored(Job, job_id, "attempts_used")) == ("queued", 0)
        assert stored(Job, job_id, "not_before") is None

    def test_labels(self, client, context, make_worker):
        worker = make_worker("w", labels=["a100"])
        assert listed(client)[worker.id]["labels"] == ["a100"]
        answer = client.patch(f"/api/v1/workers/{worker.id}", json={"labels": ["night", "a100", "night"]})
        assert answer.json()["labels"] == ["a100", "night"]
        silence(context, worker.id, seconds=16)
        worker.register("w")
        assert listed(client)[worker.id]["labels"] == ["a100", "night"]
        assert client.patch(f"/api/v1/workers/{worker.id}", json={"labels": ["two words"]}).status_code == 422

    @pytest.mark.parametrize("action", ["drain", "undrain", "release"])
    def test_only_admins_of_the_service_operate_workers(self, app, client, worker, action):
        app.dependency_overrides[get_viewer] = lambda: LOCAL_VIEWER._replace(is_admin=False)
        body = {} if action == "drain" else None
        answer = operate(client, worker, action, body)
        assert (answer.status_code, bool(answer.json()["remedy"])) == (403, True)
        assert client.patch(f"/api/v1/workers/{worker.id}", json={"labels": []}).status_code == 403

    def test_unknown_workers(self, client):
        assert client.post("/api/v1/workers/99/drain", json={}).status_code == 404
        assert client.get("/api/v1/workers/99/load").status_code == 404


def test_a_worker_with_slots_executes_jobs_side_by_side(client, scheduler, make_worker, submit_runs):
    worker = make_worker("w", slots=2)
    first, second, third = submit_runs(3)
    scheduler.tick()
    claims = [worker.claim(run_id).json() for run_id in (first, second)]
    assert [claim["slots"] for claim in claims] == [[0], [1]]
    assert [slot["job"]["id"] for slot in listed(client)[worker.id]["slots"]] == [first, second]
    assert worker.claim(third).status_code == 409
    worker.release(first, 1, "worker_shutdown")
    assert listed(client)[worker.id]["slots"][0]["job"] is None
    assert worker.claim(third).json()["slots"] == [0]


def test_a_slot_with_a_job_that_one_may_not_see_is_not_free(app, client, worker, run_id):
    worker.take(run_id)
    [slot] = listed(client)[worker.id]["slots"]
    assert (slot["is_free"], slot["job"]["id"], bool(slot["job"]["name"])) == (False, run_id, True)
    app.dependency_overrides[get_viewer] = lambda: LOCAL_VIEWER._replace(is_admin=False, roles={})
    other = listed(client)[worker.id]
    assert (other["slots"], other["may_operate"]) == ([{"number": 0, "is_free": False, "job": None}], False)


def test_versions_that_differ_from_the_services_are_flagged(client, make_worker):
    worker = make_worker("w", versions={"phylon": "0.0.1", "celery": "0.0.2", "no-such-package": "1"})
    differing = listed(client)[worker.id]["differing_versions"]
    assert set(differing) == {"phylon", "celery"}
    assert differing["celery"] != "0.0.2"


def test_load_is_the_share_of_the_slots_time():
    now = datetime(2026, 1, 2, tzinfo=UTC)
    half = timedelta(minutes=15)
    times = [
        BusyTime(slots=1, start=now - 3 * half, end=now - 2 * half),  # half of the last bucket but one
        BusyTime(slots=2, start=now - half, end=None),
        BusyTime(slots=1, start=now - timedelta(days=3), end=now - timedelta(days=1) + half),
    ]
    load = measure(times, slots=2, now=now)
    assert (load.start, load.bucket_seconds, len(load.busy)) == (now - timedelta(days=1), 1800, 48)
    assert load.busy == [0.25] + [0.0] * 45 + [0.25, 0.5]


def test_the_load_of_a_busy_worker(client, worker, run_id):
    worker.take(run_id)
    busy = client.get(f"/api/v1/workers/{worker.id}/load").json()["busy"]
    assert busy[:-1] == [0.0] * 47 and 0 < busy[-1] < 1


def test_a_worker_that_leaves_gets_nothing_more_and_takes_up_its_row_at_once(client, scheduler, worker, stored, run_id):
    scheduler.tick()
    job_id = worker.job_id(run_id)
    assert stored(Job, job_id, "status") == "dispatched"
    assert worker.post(f"/{worker.id}/leave").status_code == 204
    assert (listed(client)[worker.id]["state"], stored(Job, job_id, "status")) == ("lost", "queued")
    scheduler.tick()
    assert stored(Job, job_id, "status") == "queued"
    before = worker.id
    assert worker.register() == before
    assert listed(client)[worker.id]["state"] == "idle"


def test_a_job_that_a_leaving_worker_gives_back_is_not_sent_to_it_again(scheduler, make_worker, stored, run_id):
    leaving, other = make_worker("leaving", slots=2), make_worker("other")
    leaving.release(run_id, leaving.take(run_id), "worker_shutdown", "")
    leaving.post(f"/{leaving.id}/beat")  # it still gives other jobs back
    scheduler.tick()
    assert stored(Job, leaving.job_id(run_id), "worker_id") == other.id
