"""The queue as people see and steer it, what is refused at submission, and what use is charged for."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import select

from phylon.backend.accounts.viewer import Owner, Viewer
from phylon.backend.dependencies import get_viewer
from phylon.backend.jobs import status
from phylon.backend.kit import clock
from phylon.backend.models import Attempt, Job, Project, Usage, User, Worker
from phylon.backend.queue.ask import NO_ASK, read
from phylon.backend.queue.scheduler import Scheduler
from phylon.backend.queue.snapshot import read_history
from phylon.contract.vocabulary import Role

GIGABYTE = 10**9
STOPPED = {"kind": "stopped", "seq": 0, "step": 1, "wall": 1.0}


def get_queue(client, **params):
    answer = client.get("/api/v1/queue", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def waiting(client):
    return {job["run_id"]: job for job in get_queue(client)["waiting"]}


def job_of(context, id):
    with context.database.read() as session:
        return session.get(Job, id)


@pytest.fixture
def ids(submit):
    """Three runs in the queue."""
    return [run["id"] for run in submit(replicates=3)["runs"]]


@pytest.fixture
def team(context):
    """Another project with another person."""
    with context.database.write() as session:
        project = Project(name="vision", created_at=clock.now(), weight=2.0)
        user = User(email="ada@example.org", name="ada", is_admin=False, created_at=clock.now())
        session.add_all([project, user])
        session.flush()
        return Owner(user.id, project.id)


def add_job(context, owner, ask=NO_ASK, **columns):
    with context.database.write() as session:
        job = status.create("study", owner, 5, clock.now(), ask)
        for column, value in columns.items():
            setattr(job, column, value)
        session.add(job)
        session.flush()
        return job.id


class TestSubmission:
    def test_what_is_asked_is_kept_with_the_job(self, client, context, worker, spec):
        resources = {"devices": 2, "device": "cpu", "memory": "2GB", "labels": ["big"]}
        body = {"spec": spec | {"resources": resources}, "priority": "high", "wait_for_worker": True}
        run = client.post("/api/v1/experiments", json=body).json()["runs"][0]["id"]
        job = job_of(context, worker.job_id(run))
        assert (job.priority, job.devices, job.device, job.memory_bytes, job.labels) == (
            *("high", 2, "cpu", 2 * GIGABYTE, ["big"]),
        )
        assert read(job.ask).needs == (("gymnasium", "td3", "pbt", None),)

    def test_memory_is_forecast(self, context, worker, submit):
        small, large = submit(), submit(replay={"capacity": 4_000_000, "ratio": 1.0, "warmup": 200})
        asks = [read(job_of(context, worker.job_id(each["runs"][0]["id"])).ask) for each in (small, large)]
        assert asks[1].host_memory > 100 * asks[0].host_memory > 0
        assert asks[0].memory > 0

    @pytest.mark.parametrize(
        ("resources", "words"),
        [
            (
                {"devices": 2, "device": "gpu", "memory": "80GB", "labels": ["a100"]},
                "It needs 2 GPUs of 80 GB with label a100; the largest known worker, without the label, has 1 of",
            ),
            ({"device": "cpu"}, "no known worker has a CPU"),
        ],
    )
    def test_what_no_known_worker_could_run_is_refused(self, client, make_worker, spec, resources, words):
        make_worker("gpu", device="gpu", memory_bytes=24 * GIGABYTE, host_memory_bytes=64 * GIGABYTE)
        body = {"spec": spec | {"resources": resources}}
        answer = client.post("/api/v1/experiments", json=body)
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems/no-worker-fits")
        assert words in answer.json()["detail"]
        assert client.get("/api/v1/experiments").json()["total"] == 0
        assert client.post("/api/v1/experiments", json=body | {"wait_for_worker": True}).status_code == 201

    def test_a_replay_that_no_machine_holds_is_refused(self, client, worker, spec):
        huge = spec | {"replay": {"capacity": 100_000_000, "ratio": 1.0, "warmup": 200}}
        answer = client.post("/api/v1/experiments", json={"spec": huge | {"population": {"size": 1000}}})
        assert answer.status_code == 409
        assert "host memory" in answer.json()["detail"]

    def test_before_there_is_a_worker_nothing_is_refused(self, client, context, make_worker, spec):
        body = {"spec": spec | {"resources": {"labels": ["h100"]}}}
        assert client.post("/api/v1/experiments", json=body).status_code == 201
        worker = make_worker("gone")
        with context.database.write() as session:
            session.get(Worker, worker.id).last_seen_at = clock.now() - timedelta(days=2)
        assert client.post("/api/v1/experiments", json=body).status_code == 201

    def test_a_worker_without_the_suite(self, client, make_worker, spec):
        make_worker("bare", suites=["probe"])
        answer = client.post("/api/v1/experiments", json={"spec": spec})
        assert answer.status_code == 409
        assert "no known worker has the suite 'gymnasium'" in answer.json()["detail"]


class TestPlacing:
    def test_memory_device_and_labels_decide(self, client, context, scheduler, make_worker, spec):
        resources = {"device": "gpu", "memory": "30GB", "labels": ["a100"]}
        run = client.post("/api/v1/experiments", json={"spec": spec | {"resources": resources}}).json()["runs"][0]["id"]
        make_worker("cpu", labels=["a100"], memory_bytes=900 * GIGABYTE)
        make_worker("small", device="gpu", labels=["a100"], memory_bytes=24 * GIGABYTE)
        make_worker("plain", device="gpu", memory_bytes=80 * GIGABYTE)
        scheduler.tick()
        assert waiting(client)[run]["reason"] == "no_worker"
        right = make_worker("right", device="gpu", labels=["a100"], memory_bytes=80 * GIGABYTE)
        scheduler.tick()
        assert job_of(context, right.job_id(run)).worker_id == right.id

    def test_side_by_side_on_one_worker(self, context, scheduler, make_worker, ids):
        worker = make_worker("two", slots=2)
        scheduler.tick()
        jobs = [job_of(context, worker.job_id(id)) for id in ids]
        assert [job.status for job in jobs] == ["dispatched", "dispatched", "queued"]
        assert sorted(job.slots[0] for job in jobs[:2]) == [0, 1]
        attempts = [worker.take(id) for id in ids[:2]]
        worker.report(ids[0], attempts[0], [STOPPED])
        scheduler.tick()
        assert job_of(context, worker.job_id(ids[2])).slots == jobs[0].slots

    @pytest.mark.parametrize("column", ["draining_since", "quarantined_at"])
    def test_who_drains_or_is_quarantined_gets_nothing(self, client, context, scheduler, worker, run_id, column):
        with context.database.write() as session:
            setattr(session.get(Worker, worker.id), column, clock.now())
        scheduler.tick()
        assert waiting(client)[run_id]["reason"] == "no_worker"

    def test_a_job_that_pauses_is_left_alone(self, client, context, scheduler, worker, run_id):
        with context.database.write() as session:
            session.get(Job, worker.job_id(run_id)).not_before = clock.now() + timedelta(minutes=5)
        scheduler.tick()
        job = waiting(client)[run_id]
        assert job["reason"] == "back_off" and "tried again after" in job["explanation"]
        with context.database.write() as session:
            session.get(Job, worker.job_id(run_id)).not_before = clock.now() - timedelta(seconds=1)
        scheduler.tick()
        assert job_of(context, worker.job_id(run_id)).status == "dispatched"

    def test_many_that_no_worker_can_take_hold_up_nobody(self, context, scheduler, worker, team, submit):
        for _ in range(300):
            add_job(context, team, NO_ASK._replace(labels=("h100",)))
        run = submit()["runs"][0]["id"]
        scheduler.tick()
        assert job_of(context, worker.job_id(run)).status == "dispatched"

    def test_two_claims_of_one_worker_cannot_share_a_slot(self, context, make_worker, ids):
        """Both were sent to slot 0, as after a registration with fewer slots. The worker's row is locked."""
        worker = make_worker("one")
        for id in ids:
            worker.dispatch(id)
        barrier, codes = threading.Barrier(3), []

        def claim(id):
            barrier.wait()
            codes.append(worker.post(f"/jobs/{worker.job_id(id)}/claim", {"worker_id": worker.id}).status_code)

        threads = [threading.Thread(target=claim, args=(id,)) for id in ids]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(codes) == [200, 409, 409]


class TestClock:
    def test_a_jump_of_the_clock_expires_no_lease(self, client, context, scheduler, worker, run_id, monkeypatch):
        worker.take(run_id)
        scheduler.tick()
        real = clock.now
        monkeypatch.setattr(clock, "now", lambda: real() + timedelta(hours=1))
        scheduler.tick()
        scheduler.tick()
        assert job_of(context, worker.job_id(run_id)).status == "running"
        assert worker.report(run_id, 1).status_code == 200
        scheduler._listening_since = float("-inf")  # a lease later
        scheduler.tick()
        assert job_of(context, worker.job_id(run_id)).status == "running", "it was heard after the jump"


class TestShares:
    def test_use_is_charged_once_and_fades(self, context, scheduler, worker, run_id, redis_server):
        attempt = worker.take(run_id)
        with context.database.write() as session:
            session.get(Attempt, (worker.job_id(run_id), attempt)).claimed_at = clock.now() - timedelta(hours=1)
        worker.report(run_id, attempt, [STOPPED])
        scheduler.tick()
        scheduler.tick()
        Scheduler(context, scheduler._broker).tick()  # as after a restart
        with context.database.read() as session:
            [usage] = session.scalars(select(Usage))
        assert (usage.project_id, usage.user_id) == (1, 1)
        assert usage.device_seconds == pytest.approx(3600, rel=0.03)

    def test_the_queue_shows_who_had_how_much(self, client, context, team, worker, run_id):
        with context.database.write() as session:
            usage = {"device_seconds": 3600.0, "updated_at": clock.now()}
            session.add(Usage(project_id=team.project_id, user_id=team.user_id, **usage))
        shares = {(share["project"], share["user"]): share for share in get_queue(client)["shares"]}
        assert shares["vision", "ada"]["used_device_hours"] == pytest.approx(1.0, rel=0.01)
        assert shares["vision", None]["used_share"] == 1.0
        assert shares["vision", None]["entitled_share"] == pytest.approx(2 / 3)
        assert shares["default", None]["entitled_share"] == pytest.approx(1 / 3)

    def test_who_was_served_less_goes_first(self, context, scheduler, worker, team, run_id):
        with context.database.write() as session:
            session.add(Usage(project_id=1, user_id=1, device_seconds=9000.0, updated_at=clock.now()))
        other = add_job(context, team)
        scheduler.tick()
        assert job_of(context, other).status == "dispatched"
        assert job_of(context, worker.job_id(run_id)).status == "queued"

    def test_quotas(self, client, context, scheduler, make_worker, ids):
        make_worker("many", slots=8)
        with context.database.write() as session:
            session.get(Project, 1).max_running = 2
        scheduler.tick()
        [job] = waiting(client).values()
        assert job["reason"] == "quota" and "may use 2 devices at once and uses 2" in job["explanation"]

    def test_device_hours_of_the_last_seven_days(self, client, context, scheduler, worker, ids):
        attempt = worker.take(ids[0])
        worker.report(ids[0], attempt, [STOPPED])
        with context.database.write() as session:
            session.get(Project, 1).weekly_device_hours = 10.0
            ended = session.get(Attempt, (worker.job_id(ids[0]), attempt))
            ended.claimed_at, ended.ended_at = clock.now() - timedelta(days=8), clock.now() - timedelta(days=6.5)
        with context.database.read() as session:
            used = read_history(session, clock.now()).used_seconds[1]
        assert used == pytest.approx(12 * 3600, rel=0.01), "what lies before those seven days does not count"
        scheduler.tick()
        job = waiting(client)[ids[1]]
        assert job["reason"] == "quota" and "12 of its 10 device-hours" in job["explanation"]


def failed_event() -> dict[str, object]:
    return {
        **{"kind": "failed", "seq": 0, "step": 10, "wall": 1.0, "member": None, "hyperparams": None},
        **{"message": "the critic's loss is NaN", "remedy": "Lower the learning rate."},
    }


class TestPage:
    def test_what_runs_and_what_waits(self, client, scheduler, worker, ids):
        scheduler.tick()
        worker.take(ids[0])
        queue = get_queue(client)
        assert (queue["slots"], queue["free_slots"], queue["waiting_total"]) == (1, 0, 2)
        [running] = queue["running"]
        assert (running["run_id"], running["owner"], running["worker_name"], running["slots"]) == (
            *(ids[0], "local", "first", [0]),
        )
        first, second = queue["waiting"]
        assert [(job["run_id"], job["position"], job["reason"]) for job in (first, second)] == [
            (ids[1], 1, "busy"),
            (ids[2], 2, "busy"),
        ]
        assert "it is the next" in first["explanation"] and "local with 1 device" in second["explanation"]
        assert first["expected_start"] is None and "how long they take" in first["basis"]
        assert len(get_queue(client, limit=1)["waiting"]) == 1

    def test_of_a_project_a_person_or_a_class_and_what_waits_for_people(self, app, client, context, worker, team, ids):
        high, theirs = worker.job_id(ids[2]), add_job(context, team)
        client.patch(f"/api/v1/jobs/{high}", json={"priority": "high"})
        client.post(f"/api/v1/runs/{ids[1]}/pause")
        [found] = (queue := get_queue(client, priority="high"))["waiting"]
        assert (found["id"], found["position"], queue["waiting_total"], queue["resting"]) == (high, 1, 1, [])
        for of_team in ({"project": team.project_id}, {"owner": team.user_id}):
            [found] = (queue := get_queue(client, **of_team))["waiting"]
            assert (found["id"], queue["resting"]) == (theirs, [])
            assert found["position"] > 1 and "local with 1 device" in found["explanation"]
        [paused] = (everyone := get_queue(client))["resting"]
        assert (paused["run_id"], paused["status"], paused["since"], paused["may_change"]) == (
            ids[1],
            "paused",
            None,
            True,
        )
        assert {share["weight"] for share in everyone["shares"] if share["project_id"] == team.project_id} == {2.0}
        worker.report(ids[0], worker.take(ids[0]), [failed_event()])
        assert [(job["run_id"], job["error"]) for job in get_queue(client)["resting"]] == [
            *((ids[1], None), (ids[0], "the critic's loss is NaN")),
        ]
        app.dependency_overrides[get_viewer] = lambda: Viewer(
            team.user_id, "ada", False, {team.project_id: Role.MEMBER}
        )
        theirs_view = get_queue(client)
        assert theirs_view["resting"] == [], "what others have paused is not theirs to see"
        assert {job["owner"]: job["may_change"] for job in theirs_view["waiting"]} == {"local": False, "ada": True}

    def test_the_start_is_expected_by_the_speed_of_similar_runs(self, client, context, scheduler, worker, ids):
        scheduler.tick()
        attempt = worker.take(ids[0])
        frames = {"speed/env_steps_per_second": [8.0]}
        worker.report(ids[0], attempt, [{"kind": "metrics", "seq": 0, "step": 1000, "wall": 1.0, "frames": frames}])
        scheduler._history = None  # as after a minute
        scheduler.tick()
        first, second = waiting(client)[ids[1]], waiting(client)[ids[2]]
        now = clock.now()
        starts = [clock.now().fromisoformat(job["expected_start"]) - now for job in (first, second)]
        assert starts[0].total_seconds() == pytest.approx(1000 * 4 / 8, abs=30)
        assert (starts[1] - starts[0]).total_seconds() == pytest.approx(2000 * 4 / 8, abs=1)

    def test_others_see_who_waits_but_not_what_it_is(self, app, client, run_id, team):
        app.dependency_overrides[get_viewer] = lambda: Viewer(
            team.user_id, "ada", False, {team.project_id: Role.MEMBER}
        )
        [job] = get_queue(client)["waiting"]
        assert (job["owner"], job["name"], job["run_id"]) == ("local", None, None)


class TestMoves:
    def patch(self, client, job_id, **body):
        return client.patch(f"/api/v1/jobs/{job_id}", json=body)

    def order(self, client):
        return [job["run_id"] for job in get_queue(client)["waiting"]]

    def test_another_class(self, client, worker, ids):
        answer = self.patch(client, worker.job_id(ids[2]), priority="high")
        assert answer.status_code == 200
        assert self.order(client) == [ids[2], ids[0], ids[1]]
        self.patch(client, worker.job_id(ids[0]), priority="low")
        assert self.order(client) == [ids[2], ids[1], ids[0]]

    def test_before_another(self, client, context, scheduler, worker, ids):
        self.patch(client, worker.job_id(ids[2]), before=worker.job_id(ids[0]))
        assert self.order(client) == [ids[2], ids[0], ids[1]]
        self.patch(client, worker.job_id(ids[1]), before=worker.job_id(ids[0]))
        assert self.order(client) == [ids[2], ids[1], ids[0]]
        scheduler.tick()
        assert job_of(context, worker.job_id(ids[2])).status == "dispatched"

    def test_to_the_front_and_to_the_back(self, client, worker, ids):
        self.patch(client, worker.job_id(ids[2]), to="front")
        assert self.order(client) == [ids[2], ids[0], ids[1]]
        self.patch(client, worker.job_id(ids[0]), to="back")
        assert self.order(client) == [ids[2], ids[1], ids[0]]

    def test_among_jobs_of_one_line_only(self, client, context, worker, team, ids):
        other = add_job(context, team)
        answer = self.patch(client, worker.job_id(ids[0]), before=other)
        assert answer.status_code == 409 and "one line" in answer.json()["detail"]

    def test_only_what_waits(self, client, worker, run_id):
        worker.take(run_id)
        assert self.patch(client, worker.job_id(run_id), priority="high").status_code == 409
        assert self.patch(client, 99_999, priority="high").status_code == 404

    @pytest.mark.parametrize(
        ("user", "role", "status_code"),
        [(1, Role.MEMBER, 200), (1, Role.VIEWER, 403), (7, Role.MEMBER, 403), (7, Role.ADMIN, 200), (7, None, 404)],
    )
    def test_rights(self, app, client, worker, run_id, user, role, status_code):
        roles = {} if role is None else {1: role}
        app.dependency_overrides[get_viewer] = lambda: Viewer(user, "someone", False, roles)
        assert self.patch(client, worker.job_id(run_id), priority="high").status_code == status_code
