"""A run that several workers execute together: placed, claimed, leased and ended as one."""

import dataclasses
import hashlib
from datetime import timedelta

import pytest
from alembic import command
from sqlalchemy import text

from phylon.backend.artifacts import service as artifacts
from phylon.backend.jobs import ranks
from phylon.backend.kit import clock
from phylon.backend.kit.database import make_engine
from phylon.backend.migrate import configuration, migrate
from phylon.backend.models import Job, Rank, Run, Worker
from phylon.backend.queue.admission import ask_of
from phylon.backend.queue.ask import read
from phylon.spec import parse_spec


def event(kind, seq, step=0, **fields):
    return {"kind": kind, "seq": seq, "step": step, "wall": 0.0, **fields}


@pytest.fixture
def pair(make_worker):
    return [make_worker("left"), make_worker("right")]


@pytest.fixture
def gang(pair, scheduler, submit):
    """Its run, sent to both."""
    run_id = submit(resources={"hosts": 2, "min_hosts": 1})["runs"][0]["id"]
    scheduler.tick()
    return run_id


def claim(worker, run_id):
    return worker.post(f"/jobs/{worker.job_id(run_id)}/claim", {"worker_id": worker.id})


def seat_of(worker, run_id):
    answer = claim(worker, run_id)
    assert answer.status_code == 200, answer.text
    return answer.json()["seat"]["rank"]


def say(worker, run_id, rank, phase, attempt=1, **more):
    body = {"attempt": attempt, "events": [], "logs": more.pop("logs", [])}
    body["rank"] = {"rank": rank, "phase": phase, "host": f"host-{rank}", **more}
    return worker.post(f"/jobs/{worker.job_id(run_id)}/heartbeat", body)


@pytest.fixture
def seated(pair, gang):
    """The workers by rank, both with their parts."""
    by_rank = {seat_of(worker, gang): worker for worker in pair}
    return [by_rank[0], by_rank[1]]


def run_of(client, run_id):
    return client.get(f"/api/v1/runs/{run_id}").json()


def attempts_of(client, run_id):
    return client.get(f"/api/v1/runs/{run_id}/attempts").json()["items"]


class TestDispatch:
    def test_all_at_once_or_not_at_all(self, client, make_worker, scheduler, submit):
        make_worker("left"), make_worker("right")
        other, run_id = submit()["runs"][0]["id"], submit(resources={"hosts": 2})["runs"][0]["id"]
        scheduler.tick()
        assert [run_of(client, each)["status"] for each in (other, run_id)] == ["dispatched", "queued"]
        client.post(f"/api/v1/runs/{other}/stop")
        scheduler.tick()
        assert run_of(client, run_id)["status"] == "dispatched"
        queue = client.get("/api/v1/queue").json()
        [running] = queue["running"]
        assert (running["hosts"], running["devices"], queue["free_slots"]) == (2, 2, 0)
        assert [running["worker_name"], *(host["worker_name"] for host in running["others"])] in (
            ["left", "right"],
            ["right", "left"],
        )
        assert [worker["state"] for worker in client.get("/api/v1/workers").json()["items"]] == ["busy", "busy"]

    def test_too_few_known_workers(self, client, worker, spec):
        body = {"spec": spec | {"resources": {"hosts": 2}}}
        refused = client.post("/api/v1/experiments", json=body)
        assert refused.status_code == 409
        assert "It needs 2 hosts, each with 1 device" in refused.json()["detail"]
        queued = client.post("/api/v1/experiments", json=body | {"wait_for_worker": True})
        assert queued.status_code == 201
        [waiting] = client.get("/api/v1/queue").json()["waiting"]
        assert (waiting["hosts"], waiting["reason"]) == (2, "no_worker")
        assert "only 1 of the workers that are there could take part" in waiting["explanation"]

    def test_several_ranks_of_one_worker_where_it_allows_that(self, client, make_worker, scheduler, submit):
        worker = make_worker("large", slots=2, several_ranks=True)
        run_id = submit(resources={"hosts": 2})["runs"][0]["id"]
        scheduler.tick()
        assert [seat_of(worker, run_id), seat_of(worker, run_id)] == [0, 1]
        assert claim(worker, run_id).status_code == 409
        [listed] = client.get("/api/v1/workers").json()["items"]
        assert [slot["is_free"] for slot in listed["slots"]] == [False, False]


class TestAttempt:
    def test_the_first_claim_begins_it_and_it_is_complete_when_all_are_ready(self, client, seated, gang):
        first, second = seated
        assert run_of(client, gang)["attempt"] == 1
        answer = say(first, gang, 0, "ready").json()
        assert answer["gang"] == {"is_complete": False, "meeting": None}
        assert say(second, gang, 1, "ready").json()["gang"]["is_complete"]
        meeting = {"host": "host-0", "address": "10.0.0.1:4711"}
        assert say(first, gang, 0, "training", meeting=meeting).json()["gang"]["is_complete"]
        answer = say(second, gang, 1, "training", seconds_per_segment=2.5).json()
        assert answer["gang"] == {"is_complete": True, "meeting": meeting}
        [attempt] = attempts_of(client, gang)
        assert [(rank["host"], rank["phase"], rank["address"]) for rank in attempt["ranks"]] == [
            ("host-0", "training", "10.0.0.1:4711"),
            ("host-1", "training", None),
        ]
        assert attempt["ranks"][1]["seconds_per_segment"] == 2.5

    def test_it_has_the_lease_of_who_is_silent(self, client, context, scheduler, seated, gang):
        first, second = seated
        with context.database.write() as session:
            job_id = first.job_id(gang)
            session.get(Rank, (job_id, 1, 1)).heard_at = clock.now() - timedelta(hours=1)
        say(first, gang, 0, "training")
        scheduler.tick()
        assert run_of(client, gang)["status"] == "queued"
        [attempt] = attempts_of(client, gang)
        silent = next(rank["worker_name"] for rank in attempt["ranks"] if rank["rank"] == 1)
        assert attempt["end"] == "lost" and attempt["detail"].startswith(f"rank 1 (worker {silent}) was not heard of")
        assert say(second, gang, 1, "training").status_code == 409

    def test_one_whose_process_has_ended_in_order_need_not_be_heard(self, client, context, scheduler, seated, gang):
        first, second = seated
        say(second, gang, 1, "ended")
        with context.database.write() as session:
            session.get(Rank, (first.job_id(gang), 1, 1)).heard_at = clock.now() - timedelta(hours=1)
        say(first, gang, 0, "training")
        scheduler.tick()
        assert run_of(client, gang)["status"] == "running"

    def test_any_rank_ends_it_for_all_and_no_worker_is_blamed(self, client, context, seated, gang):
        first, second = seated
        body = {"attempt": 1, "rank": 1, "reason": "crashed", "detail": "exit code -9"}
        assert second.post(f"/jobs/{second.job_id(gang)}/release", body).status_code == 204
        assert say(first, gang, 0, "training").status_code == 409
        run = run_of(client, gang)
        assert (run["status"], run["attempts"]) == ("queued", 1)
        [attempt] = attempts_of(client, gang)
        assert attempt["detail"] == "rank 1: exit code -9"
        with context.database.read() as session:
            assert [session.get(Worker, worker.id).quarantined_at for worker in seated] == [None, None]

    def test_who_does_not_come_gives_the_others_back(self, client, context, pair, scheduler, gang):
        rank = seat_of(pair[0], gang)
        scheduler._context = dataclasses.replace(
            context, settings=dataclasses.replace(context.settings, gang_start_seconds=0.0)
        )
        scheduler.tick()
        run = run_of(client, gang)
        assert (run["status"], run["attempts"]) == ("queued", 0), "it costs no attempt"
        [attempt] = attempts_of(client, gang)
        assert attempt["end"] == "incomplete"
        assert f"rank {1 - rank} (worker right)" in attempt["detail"]
        assert claim(pair[1], gang).status_code == 409

    def test_whose_worker_leaves_is_why_it_was_handed_back(self, client, seated, gang):
        first, second = seated
        say(second, gang, 1, "ended", left="worker_shutdown")
        assert first.release(gang, 1, reason="yielded", detail="").status_code == 204
        run = run_of(client, gang)
        assert (run["status"], run["attempts"]) == ("queued", 0)
        assert attempts_of(client, gang)[0]["end"] == "worker_shutdown"

    def test_fewer_hosts_once_it_has_begun(self, client, context, scheduler, seated, gang):
        first, second = seated
        assert second.post(f"/{second.id}/leave").status_code == 204
        first.release(gang, 1)
        with context.database.write() as session:
            job = session.get(Run, gang).job
            job.not_before = None
            assert read(job.ask)[-3:] == (2, 1, True)
        scheduler.tick()
        answer = claim(first, gang)
        assert (answer.json()["attempt"], answer.json()["seat"]) == (2, None)
        assert say(first, gang, 0, "training", attempt=2).json()["gang"] is None

    def test_a_stranger_has_no_part_in_it(self, make_worker, seated, gang):
        stranger = make_worker("stranger")
        assert claim(stranger, gang).status_code == 409
        assert say(stranger, gang, 1, "training").status_code == 409

    def test_each_has_its_own_log(self, client, seated, gang):
        first, second = seated

        def line(number, text):
            return {"line": number, "wall": 0.0, "stream": "trainer", "text": text}

        assert say(first, gang, 0, "training", logs=[line(0, "a")]).json()["next_log_line"] == 1
        assert say(second, gang, 1, "training", logs=[line(0, "b"), line(1, "c")]).json()["next_log_line"] == 2
        assert say(second, gang, 1, "training", logs=[line(1, "c"), line(2, "d")]).json()["next_log_line"] == 3
        assert say(first, gang, 0, "training", logs=[line(1, "e")]).json()["next_log_line"] == 2

        def read_log(**query):
            return client.get(f"/api/v1/runs/{gang}/logs", params=query).json()["items"]

        assert [each["text"] for each in read_log()] == ["a", "b", "c", "d", "e"]
        assert [each["text"] for each in read_log(rank=1)] == ["b", "c", "d"]
        assert [each["line"] for each in read_log()] == [0, 1, 2, 3, 4]


def test_a_checkpoint_counts_when_all_its_blocks_are_here_and_they_go_with_it(client, context, seated, gang):
    first, second = seated
    assert first.resume(gang, 1, 0).status_code == 200

    def upload(worker, name, step):
        content = name.encode()
        sha256 = hashlib.sha256(content).hexdigest()
        assert worker.upload(gang, 1, name, content, sha256, step).status_code == 200
        return {"file": name, "sha256": sha256, "bytes": len(content)}

    def offered():
        with context.database.read() as session:
            found = artifacts.list_checkpoints(session, first.job_id(gang))
            return [[each.file, *(block.file for block in each.blocks)] for each in found]

    def report(seq, number, *files):
        step = 100 * number
        made = event("checkpoint", seq, step, number=number, **files[0], blocks=files[1:])
        body = {"attempt": 1, "events": [made], "logs": []}
        assert first.post(f"/jobs/{first.job_id(gang)}/heartbeat", body).status_code == 200

    report(0, 1, upload(first, "000001.npz", 100), upload(second, "000001.1.npz", 100))
    early = upload(second, "000003.1.npz", 300)
    report(1, 2, upload(first, "000002.npz", 200), upload(second, "000002.1.npz", 200))
    report(2, 3, upload(first, "000003.npz", 300), early)
    kinds = {each["name"]: each["kind"] for each in client.get(f"/api/v1/runs/{gang}/artifacts").json()["items"]}
    assert kinds["000003.npz"] == "checkpoint" and kinds["000003.1.npz"] == "block"
    assert {name.split(".")[0] for name, kind in kinds.items() if kind == "block"} == {
        name.split(".")[0] for name, kind in kinds.items() if kind == "checkpoint"
    }
    assert offered()[0] == ["000003.npz", "000003.1.npz"]
    with context.database.write() as session:
        job_id = first.job_id(gang)
        [block] = [row for row in artifacts.repository.of_job(session, job_id) if row.name == "000003.1.npz"]
        session.delete(block)
    assert ["000003.npz", "000003.1.npz"] not in offered(), "a block is missing"
    with context.database.read() as session:
        assert ranks.have_seat(session, job_id, second.id)
        assert session.get(Job, job_id).hosts == 2


def test_an_older_service_is_left_no_job_that_it_cannot_execute(empty_url):
    engine = make_engine(empty_url)
    migrate(empty_url)
    with engine.begin() as connection:
        for hosts, status in ((1, "queued"), (2, "running"), (2, "finished")):
            connection.execute(
                text(
                    "INSERT INTO jobs (kind, owner_id, project_id, status, created_at, max_attempts, attempt, "
                    "last_seq, last_seq_attempt, hosts) "
                    "VALUES ('run', 1, 1, :status, CURRENT_TIMESTAMP, 5, 0, -1, 0, :hosts)"
                ),
                {"status": status, "hosts": hosts},
            )
    command.downgrade(configuration(empty_url), "0035")
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT status, CAST(error AS VARCHAR) FROM jobs ORDER BY id")).all()
    engine.dispose()
    assert [status for status, _ in rows] == ["queued", "failed", "finished"]
    assert "several workers" in rows[1][1]


def test_memory_is_asked_for_by_the_largest_block(spec):
    whole, halves = (ask_of(parse_spec(spec | {"resources": {"hosts": hosts}})) for hosts in (1, 2))
    assert (halves.hosts, halves.fewest_hosts) == (2, 2)
    assert halves.host_memory == whole.host_memory // 2
    assert halves.memory < whole.memory
