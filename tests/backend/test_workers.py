"""Workers as they register, beat and are listed."""

from datetime import timedelta

from phylon.backend.kit import clock
from phylon.backend.models import Worker


def listed(client):
    return {worker["id"]: worker for worker in client.get("/api/v1/workers").json()["items"]}


def silence(context, worker_id, **age):
    with context.database.write() as session:
        session.get(Worker, worker_id).last_seen_at = clock.now() - timedelta(**age)


def test_states(client, context, worker, run_id):
    assert listed(client)[worker.id]["state"] == "idle"
    worker.take(run_id)
    busy = listed(client)[worker.id]
    assert (busy["state"], busy["run_id"], busy["device"], busy["suites"]) == (
        "busy",
        run_id,
        "cpu",
        ["gymnasium", "probe"],
    )
    silence(context, worker.id, seconds=16)
    assert listed(client)[worker.id]["state"] == "lost"
    worker.tell(run_id, 1)
    assert listed(client)[worker.id]["state"] == "busy"
    silence(context, worker.id, days=2)
    assert listed(client) == {}


def test_a_worker_that_comes_back_takes_up_its_row(context, make_worker):
    first = make_worker("w")
    namesake = make_worker("w")
    assert namesake.id != first.id
    silence(context, first.id, seconds=16)
    assert make_worker("w", device="gpu").id == first.id


def test_beats_are_three_a_lease(worker):
    answer = worker.post("/register", {
        "name": "x", "device": "gpu", "device_name": "a card", "device_count": 1, "memory_bytes": 80 * 2**30,
        "versions": {}, "suites": [],
    })  # fmt: skip
    assert answer.json()["heartbeat_seconds"] == 5.0


def test_an_unknown_worker_is_told_to_register_again(worker):
    assert worker.post("/999/beat").status_code == 404
