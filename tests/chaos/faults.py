"""What each kind of fault does, and how it is made good again.

A fault returns what to call when its time is over, or None when there is nothing yet that it could hit; then it is
tried again. What it returns may be called several times, until it returns True.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from functools import partial

import psutil
import redis

from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.queue.broker import Broker, BrokerAway
from phylon.redis_url import client_url
from tests.chaos.disk import SmallDisk
from tests.chaos.fleet import Fleet, Station
from tests.chaos.link import State
from tests.chaos.plan import Fault
from tests.conftest import Process

Undo = Callable[[], bool]
Strike = Callable[[Fleet, Fault], Undo | None]


def over() -> bool:
    return True


def kill(process: Process) -> Undo:
    if process.is_alive:
        process.kill()
    return partial(revive, process)


def revive(process: Process) -> bool:
    if not process.is_alive:
        process.start()
    return True


def freeze(process: Process) -> Undo | None:
    if not process.is_alive:
        return None
    pid = process.pid
    os.kill(pid, signal.SIGSTOP)

    def wake() -> bool:
        with contextlib.suppress(ProcessLookupError):  # it was killed meanwhile
            os.kill(pid, signal.SIGCONT)
        return True

    return wake


def leave(process: Process) -> Undo | None:
    if not process.is_alive:
        return None
    os.kill(process.pid, signal.SIGTERM)

    def come_back() -> bool:
        return not process.is_alive and revive(process)

    return come_back


def kill_trainer(fleet: Fleet, fault: Fault) -> Undo | None:
    """Of a job that got on since it last crashed: the service rightly fails one that crashes on two workers before."""
    query = (
        "SELECT jobs.id, workers.name FROM jobs JOIN attempts ON attempts.job_id = jobs.id "
        "AND attempts.number = jobs.attempt JOIN workers ON workers.id = attempts.worker_id "
        "WHERE jobs.status = 'running' AND attempts.progress_at IS NOT NULL "
        "AND jobs.forgiven_attempt = jobs.attempt - 1 ORDER BY jobs.id"
    )
    with fleet.database() as database:
        eligible = database.execute(query).fetchall()
    folders = {
        (job, f"storm-{number}"): station.runs / str(job)
        for number, station in enumerate(fleet.stations)
        for job, _ in eligible
    }
    running = [
        process
        for job, process in fleet.job_processes()
        for row in eligible
        if row[0] == job and str(folders[job, row[1]]) in process.cmdline()
    ]
    if not running:
        return None
    with contextlib.suppress(psutil.NoSuchProcess):
        running[fault.target % len(running)].kill()
    return over


def flush_redis(fleet: Fleet, fault: Fault) -> Undo | None:
    try:
        with redis.from_url(client_url(fleet.redis_url), socket_timeout=2.0) as connection:
            connection.flushall()
    except redis.RedisError:
        return None  # it is away
    return over


def repeat_messages(fleet: Fleet, fault: Fault) -> Undo | None:
    """To the worker that was chosen, and to another one; once more when the fault is over."""
    with fleet.database() as database:
        jobs = database.execute("SELECT id, worker_id FROM jobs WHERE worker_id IS NOT NULL").fetchall()
        workers = [row[0] for row in database.execute("SELECT id FROM workers ORDER BY id").fetchall()]
    doorbell = Doorbell(fleet.redis_url)
    broker = Broker(fleet.redis_url, doorbell)

    def send() -> bool:
        with contextlib.suppress(BrokerAway):
            for job, worker in jobs:
                for receiver in (worker, workers[(job + fault.target) % len(workers)]):
                    broker.send(job, receiver)
        return True

    def send_again() -> bool:
        send()
        broker.close()
        doorbell.close()
        return True

    send()
    return send_again if jobs else None


def stop_postgres(fleet: Fleet, fault: Fault) -> Undo | None:
    try:
        fleet.postgres.stop()
    except subprocess.CalledProcessError:
        return None  # it recovers from the fault before

    def start() -> bool:
        fleet.postgres.start()
        return True

    return start


def kill_connection(fleet: Fleet, fault: Fault) -> Undo | None:
    try:
        fleet.postgres.kill_connection()
    except (FileNotFoundError, psutil.Error):
        return None  # it is away
    return over


def disturb(link_state: State) -> Strike:
    def strike(fleet: Fleet, fault: Fault) -> Undo | None:
        link = station_of(fleet, fault).link
        link.set(link_state)

        def mend() -> bool:
            link.set("open")
            return True

        return mend

    return strike


def jump(direction: int) -> Strike:
    def strike(fleet: Fleet, fault: Fault) -> Undo | None:
        fleet.clock.jump(direction * fault.jump)
        return over

    return strike


def fill(disk: SmallDisk | None) -> Undo | None:
    assert disk is not None
    disk.fill()

    def make_room() -> bool:
        disk.make_room()
        return True

    return make_room


def station_of(fleet: Fleet, fault: Fault) -> Station:
    return fleet.stations[fault.target % len(fleet.stations)]


def worker_of(fleet: Fleet, fault: Fault) -> Process:
    return station_of(fleet, fault).process


def api_of(fleet: Fleet, fault: Fault) -> Process:
    return fleet.apis[fault.target % len(fleet.apis)]


STRIKES: dict[str, Strike] = {
    "kill an API process": lambda fleet, fault: kill(api_of(fleet, fault)),
    "freeze an API process": lambda fleet, fault: freeze(api_of(fleet, fault)),
    "kill a worker": lambda fleet, fault: kill(worker_of(fleet, fault)),
    "freeze a worker for longer than its lease": lambda fleet, fault: freeze(worker_of(fleet, fault)),
    "have a worker leave in order": lambda fleet, fault: leave(worker_of(fleet, fault)),
    "kill a trainer": kill_trainer,
    "kill Redis, its data gone": lambda fleet, fault: kill(fleet.redis),
    "flush Redis": flush_redis,
    "freeze Redis, delaying messages": lambda fleet, fault: freeze(fleet.redis),
    "repeat messages, now and later": repeat_messages,
    "stop Postgres at once": stop_postgres,
    "kill a connection of Postgres": kill_connection,
    "cut a link": disturb("cut"),
    "slow a link down": disturb("slow"),
    "silence a link for longer than a lease": disturb("silent"),
    "lose the answers on a link": disturb("deaf"),
    "set the clock forward": jump(1),
    "set the clock back": jump(-1),
    "fill a worker's disk": lambda fleet, fault: fill(station_of(fleet, fault).disk),
    "fill the disk of the artifacts": lambda fleet, fault: fill(fleet.artifact_disk),
}
