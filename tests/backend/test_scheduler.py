"""Dispatch: to a living worker with a free slot, to it alone, and again when it did not take the message."""

import base64
import dataclasses
import json
import socket
import threading
import time
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import select

from phylon.backend.kit import clock
from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.models import Job, Run, Worker
from phylon.backend.queue.broker import Broker, BrokerAway
from phylon.backend.queue.scheduler import Scheduler
from phylon.contract.protocol import EXECUTE_JOB, queue_name


@pytest.fixture
def messages(context, redis_server):
    """Takes the messages that wait in a queue; the runs that they mean."""
    with redis_server.client() as connection:
        connection.flushall()

        def take(worker_id=None):
            """Of one worker, or of all."""
            found = []
            queues = [queue_name(worker_id)] if worker_id else sorted(connection.keys(queue_name("*")))
            for queue in queues:
                while (raw := connection.rpop(queue)) is not None:
                    message = json.loads(raw)
                    assert message["headers"]["task"] == EXECUTE_JOB
                    assert message["content-type"] == "application/json"
                    arguments, keywords, _ = json.loads(base64.b64decode(message["body"]))
                    assert keywords == {}
                    found += arguments
            return [run_of_job(context, job_id) for job_id in found]

        yield take


def run_of_job(context, job_id):
    with context.database.read() as session:
        return session.scalar(select(Run.id).where(Run.job_id == job_id))


def run_of(client, run_id):
    return client.get(f"/api/v1/runs/{run_id}").json()


def age(context, model, id, **columns):
    with context.database.write() as session:
        for column, seconds in columns.items():
            setattr(session.get(model, id), column, clock.now() - timedelta(seconds=seconds))


class TestDispatch:
    def test_nothing_is_sent_without_a_worker(self, client, scheduler, messages, run_id):
        scheduler.tick()
        assert messages() == []
        assert run_of(client, run_id)["status"] == "queued"

    def test_the_oldest_run_goes_to_the_idle_worker(self, client, scheduler, messages, submit, worker):
        first, second = submit()["runs"][0]["id"], submit()["runs"][0]["id"]
        scheduler.tick()
        scheduler.tick()
        assert messages() == [first]
        assert [run_of(client, id)["status"] for id in (first, second)] == ["dispatched", "queued"]

    def test_the_next_follows_when_the_worker_is_free_again(self, scheduler, messages, submit, worker):
        first, second = (run["id"] for run in submit(replicates=2)["runs"])
        scheduler.tick()
        attempt = worker.take(first)
        scheduler.tick()
        assert messages() == [first]
        worker.report(first, attempt, [{"kind": "stopped", "seq": 0, "step": 1, "wall": 1.0}])
        scheduler.tick()
        assert messages() == [second]

    def test_a_run_that_came_back_keeps_its_place(self, scheduler, messages, submit, worker):
        first, _ = (run["id"] for run in submit(replicates=2)["runs"])
        attempt = worker.take(first)
        worker.release(first, attempt, "yielded", "")
        scheduler.tick()
        assert messages() == [first]

    def test_a_lost_worker_gets_nothing(self, client, context, scheduler, messages, worker, run_id):
        age(context, Worker, worker.id, last_seen_at=16)
        scheduler.tick()
        assert messages() == []
        assert worker.post(f"/{worker.id}/beat").status_code == 204
        scheduler.tick()
        assert messages() == [run_id]

    def test_the_message_goes_to_the_chosen_worker_alone(self, scheduler, messages, make_worker, submit):
        """GPUs first; a worker without the suite never gets the message."""
        ids = [run["id"] for run in submit(replicates=3)["runs"]]
        cpu, gpu = make_worker("cpu"), make_worker("gpu", device="gpu")
        other = make_worker("other", device="gpu", suites=["probe"])
        scheduler.tick()
        assert [messages(worker.id) for worker in (gpu, cpu, other)] == [[ids[0]], [ids[1]], []]
        raw = {"worker_id": cpu.id}
        refused = cpu.post(f"/jobs/{cpu.job_id(ids[0])}/claim", raw)
        assert refused.status_code == 409 and f"sent to worker {gpu.id}" in refused.json()["detail"]
        assert cpu.post(f"/jobs/{cpu.job_id(ids[2])}/claim", raw).status_code == 409, "it waits in the queue"
        assert gpu.post(f"/jobs/{gpu.job_id(ids[0])}/claim", {"worker_id": gpu.id}).json()["slots"] == [0]

    def test_an_unclaimed_dispatch_is_sent_again(self, client, context, scheduler, messages, worker, run_id):
        scheduler.tick()
        assert messages() == [run_id]
        scheduler.tick()
        assert messages() == []
        age(context, Job, worker.job_id(run_id), dispatched_at=11)
        scheduler.tick()
        assert messages() == [run_id]
        assert run_of(client, run_id)["status"] == "dispatched"

    def test_a_dispatch_to_a_worker_that_is_gone_waits_in_the_queue(self, client, context, scheduler, worker, run_id):
        scheduler.tick()
        age(context, Job, worker.job_id(run_id), dispatched_at=11)
        age(context, Worker, worker.id, last_seen_at=60)
        scheduler.tick()
        assert run_of(client, run_id)["status"] == "queued"

    def test_a_stopped_dispatch_cannot_be_claimed(self, client, scheduler, worker, run_id):
        scheduler.tick()
        assert client.post(f"/api/v1/runs/{run_id}/stop").json()["status"] == "stopped"
        assert worker.claim(run_id).status_code == 409

    def test_two_schedulers_send_a_run_once(self, context, scheduler, messages, make_worker, submit):
        ids = [run["id"] for run in submit(replicates=8)["runs"]]
        for number in range(4):
            make_worker(f"worker-{number}")
        brokers = [Broker(context.settings.redis_url, context.doorbell) for _ in range(4)]
        schedulers = [Scheduler(context, broker) for broker in brokers]
        barrier = threading.Barrier(len(schedulers))

        def tick(scheduler):
            barrier.wait()
            scheduler.tick()

        threads = [threading.Thread(target=tick, args=(each,)) for each in schedulers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        scheduler.tick()  # on Postgres a scheduler that found another at work has left it to it
        assert sorted(messages()) == ids[:4]
        for broker in brokers:
            broker.close()


class TestWithoutRedis:
    def test_a_run_stays_queued_and_is_sent_when_redis_is_back(self, client, context, own_redis, worker, run_id):
        doorbell = Doorbell(own_redis.url)
        broker = Broker(own_redis.url, doorbell)
        scheduler = Scheduler(context, broker)
        own_redis.stop()
        scheduler.tick()
        assert run_of(client, run_id)["status"] == "queued"

        # Redis goes between the question whether it is there and the sending.
        broker.reachable = lambda: True
        scheduler.tick()
        assert run_of(client, run_id)["status"] == "queued"
        del broker.reachable

        own_redis.start()
        scheduler.tick()
        assert run_of(client, run_id)["status"] == "dispatched"
        with own_redis.client() as connection:
            assert connection.llen(queue_name(worker.id)) == 1
        broker.close()
        doorbell.close()

    def test_a_redis_that_never_answers_is_given_up_soon(self):
        """A listener that accepts and stays silent, as a hung machine does. Without a limit this test would hang."""
        with silent_listener() as port:
            url = f"redis://127.0.0.1:{port}/0"
            doorbell = Doorbell(url)
            broker = Broker(url, doorbell)
            assert not broker.reachable()
            with pytest.raises(BrokerAway):
                broker.send(1, 1)
            doorbell.ring("job 1")
            broker.close()
            doorbell.close()


@contextmanager
def silent_listener():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield listener.getsockname()[1]


class TestLeases:
    def test_workers_get_a_lease_to_be_heard_again_after_the_database_was_away(
        self, client, context, scheduler, run_id, worker
    ):
        worker.take(run_id)
        with context.database.write() as session:
            session.get(Run, run_id).job.lease_expires_at = clock.now() - timedelta(seconds=1)
        nowhere = Database("sqlite:////no/such/folder/phylon.db")
        scheduler._context = dataclasses.replace(context, database=nowhere)
        scheduler.try_tick()
        nowhere.dispose()
        scheduler._context = context
        scheduler.try_tick()
        assert run_of(client, run_id)["status"] == "running"
        scheduler._listening_since = float("-inf")  # a lease later
        scheduler.try_tick()
        assert run_of(client, run_id)["status"] == "queued"

    def test_a_clock_that_is_set_changes_nobodys_lease(
        self, client, context, scheduler, submit, run_id, worker, monkeypatch
    ):
        right = clock.now

        def set_clock(seconds):
            monkeypatch.setattr(clock, "now", lambda: right() + timedelta(seconds=seconds))

        def job_of(id):
            with context.database.read() as session:
                return session.get(Run, id).job

        worker.take(run_id)
        waiting = submit()["runs"][0]["id"]
        scheduler.tick()
        set_clock(3600)
        scheduler.tick()
        assert run_of(client, run_id)["status"] == "running"
        worker.report(run_id, 1, [])  # its lease now ends an hour ahead
        age(context, Job, job_of(waiting).id, not_before=-60)
        set_clock(0)
        scheduler.tick()
        job = job_of(run_id)
        assert (job.status, job_of(waiting).not_before <= clock.now()) == ("running", True)
        assert job.lease_expires_at <= clock.now() + timedelta(seconds=context.settings.lease_seconds)
        with context.database.read() as session:
            assert session.get(Worker, worker.id).last_seen_at <= clock.now()


def test_the_thread_ticks_until_it_is_stopped(context, messages, worker, run_id):
    broker = Broker(context.settings.redis_url, context.doorbell)
    scheduler = Scheduler(context, broker)
    scheduler.start()
    deadline = time.monotonic() + 60
    found = []
    while not found and time.monotonic() < deadline:
        found = messages()
        time.sleep(0.05)
    scheduler.stop()
    broker.close()
    assert found == [run_id]
    assert "scheduler" not in {thread.name for thread in threading.enumerate()}
