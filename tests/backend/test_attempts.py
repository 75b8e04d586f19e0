"""Lease and fence: who may take a run, who may write, and what becomes of a run whose worker is gone."""

import threading
from datetime import timedelta

import pytest

from phylon.backend.kit import clock
from phylon.backend.models import Run


def expire_lease(context, run_id):
    with context.database.write() as session:
        session.get(Run, run_id).lease_expires_at = clock.now() - timedelta(seconds=1)


def status_of(client, run_id):
    return client.get(f"/api/v1/runs/{run_id}").json()["status"]


def started(seq=0):
    return {
        "kind": "started",
        "seq": seq,
        "step": 0,
        "wall": 0.0,
        "resumed": False,
        "strategy": "vectorized",
        "explanation": "the spec asked for it",
        "devices": ["cpu:0", "cpu:1"],
        "versions": {"jax": "0.10.2"},
        "parameters": 1234,
    }


class TestClaim:
    def test_the_claim_has_all_that_a_trainer_needs(self, client, spec, worker, run_id):
        answer = worker.claim(run_id)
        assert answer.status_code == 200
        claim = answer.json()
        assert (claim["run_id"], claim["attempt"], claim["lease_seconds"]) == (run_id, 1, 15.0)
        assert (claim["seed"], claim["checkpoint"]) == (7, None)
        assert claim["spec"]["algorithm"]["discount"] == {"uniform": [0.9, 0.99]}
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["worker_name"], run["attempts"]) == ("running", "first", 1)
        assert run["started_at"] is not None

    def test_a_second_claim_is_refused(self, make_worker, worker, run_id):
        worker.take(run_id)
        answer = make_worker("second").claim(run_id)
        assert answer.status_code == 409
        assert "running" in answer.json()["detail"]

    def test_of_many_that_claim_at_once_one_wins(self, client, make_worker, run_id):
        workers = [make_worker(f"worker-{number}") for number in range(6)]
        barrier, codes = threading.Barrier(len(workers)), []

        def claim(worker):
            barrier.wait()
            codes.append(worker.claim(run_id).status_code)

        threads = [threading.Thread(target=claim, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(codes) == [200] + [409] * 5
        assert client.get(f"/api/v1/runs/{run_id}").json()["attempts"] == 1

    def test_a_worker_has_one_slot(self, submit, worker):
        first, second = (run["id"] for run in submit(replicates=2)["runs"])
        worker.take(first)
        answer = worker.claim(second)
        assert answer.status_code == 409
        assert "one slot" in answer.json()["detail"]

    def test_a_worker_without_the_suite_is_refused(self, make_worker, run_id):
        answer = make_worker("bare", suites=["probe"]).claim(run_id)
        assert answer.status_code == 409
        assert "gymnasium" in answer.json()["detail"]

    @pytest.mark.parametrize("path", ["/runs/99/claim", "/runs/{run_id}/claim"])
    def test_unknown_run_or_worker(self, worker, run_id, path):
        worker.id = worker.id if "99" in path else 99
        answer = worker.post(path.format(run_id=run_id), {"worker_id": worker.id})
        assert answer.status_code == 404

    def test_a_stopped_run_cannot_be_claimed(self, client, worker, run_id):
        client.post(f"/api/v1/runs/{run_id}/stop")
        assert worker.claim(run_id).status_code == 409


class TestFence:
    @pytest.mark.parametrize("write", ["tell", "resume", "release", "upload"])
    def test_an_old_attempt_can_write_nothing(self, client, context, scheduler, make_worker, worker, run_id, write):
        worker.take(run_id)
        worker.tell(run_id, 1, [started()])
        expire_lease(context, run_id)
        scheduler.tick()
        writes = {
            "tell": lambda: worker.tell(run_id, 1, [{"kind": "stopped", "seq": 1, "step": 5, "wall": 1.0}]),
            "resume": lambda: worker.resume(run_id, 1, 0),
            "release": lambda: worker.release(run_id, 1),
            "upload": lambda: worker.upload(run_id, 1, "000001.npz", b"x", "0" * 64),
        }
        lost = writes[write]()
        assert lost.status_code == 409
        assert "lost" in lost.json()["detail"]

        assert make_worker("second").take(run_id, from_seq=1) == 2
        before = client.get(f"/api/v1/runs/{run_id}").json()
        late = writes[write]()
        assert late.status_code == 409
        assert "attempt 2 is the newest" in late.json()["detail"]
        assert client.get(f"/api/v1/runs/{run_id}").json() == before
        assert client.get(f"/api/v1/runs/{run_id}/artifacts").json()["items"] == []

    def test_a_late_heartbeat_keeps_a_run_that_nobody_took(self, client, context, worker, run_id):
        attempt = worker.take(run_id)
        expire_lease(context, run_id)
        assert worker.tell(run_id, attempt).status_code == 200
        with context.database.read() as session:
            assert session.get(Run, run_id).lease_expires_at > clock.now()

    def test_after_the_outcome_logs_and_artifacts_are_still_taken(self, client, worker, run_id):
        attempt = worker.take(run_id)
        outcome = {"kind": "finished", "seq": 0, "step": 2000, "wall": 9.0, "best_member": 1, "fitness": 3.0}
        worker.tell(run_id, attempt, [outcome])
        line = {"line": 0, "wall": 9.0, "stream": "supervisor", "text": "done"}
        answer = worker.tell(run_id, attempt, [outcome], [line])
        assert answer.json() == {"next_seq": 1, "next_log_line": 1, "command": "continue"}
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        assert worker.upload(run_id, attempt, "000040.npz", b"", empty).status_code == 200
        assert worker.release(run_id, attempt).status_code == 204
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["last_seq"]) == ("finished", 0)

    @pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic YTpi"}])
    def test_worker_routes_need_the_token(self, client, run_id, header):
        for path in ("register", "1/beat", f"runs/{run_id}/claim", f"runs/{run_id}/heartbeat"):
            answer = client.post(f"/api/v1/worker/{path}", json={}, headers=header)
            assert answer.status_code == 401
            assert answer.json()["remedy"]
        assert client.get("/api/v1/worker/artifacts/1/content", headers=header).status_code == 401
        assert client.put(f"/api/v1/worker/runs/{run_id}/artifacts/a", headers=header).status_code == 401


class TestLeaseExpiry:
    def test_a_lost_run_is_queued_again_and_goes_on(self, client, context, scheduler, worker, make_worker, run_id):
        worker.take(run_id)
        worker.tell(run_id, 1, [started()])
        expire_lease(context, run_id)
        scheduler.tick()
        assert status_of(client, run_id) in ("queued", "dispatched")
        assert make_worker("second").take(run_id, from_seq=1) == 2
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["worker_name"], run["attempts"], run["last_seq"]) == ("running", "second", 2, 0)

    def test_a_living_lease_is_left_alone(self, client, scheduler, worker, run_id):
        worker.take(run_id)
        scheduler.tick()
        assert status_of(client, run_id) == "running"

    def test_after_a_pause_workers_get_a_lease_to_be_heard_again(self, client, context, scheduler, worker, run_id):
        """The API was down: nobody could renew, so nobody is given up for it."""
        worker.take(run_id)
        expire_lease(context, run_id)
        scheduler._last_tick = float("-inf")
        scheduler.tick()
        scheduler.tick()
        assert status_of(client, run_id) == "running"
        assert worker.tell(run_id, 1).status_code == 200

    def test_a_run_that_keeps_breaking_fails(self, client, context, scheduler, worker, run_id):
        for number in range(1, 6):
            assert worker.take(run_id) == number
            if number % 2:
                expire_lease(context, run_id)
                scheduler.tick()
            else:
                worker.release(run_id, number, "crashed", "exit code -11")
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["attempts"], run["max_attempts"]) == ("failed", 5, 5)
        assert "All 5 attempts" in run["error"]["message"]
        assert "first was not heard of" in run["error"]["message"]
        assert run["error"]["remedy"]
        assert run["finished_at"] is not None
        assert worker.claim(run_id).status_code == 409

    def test_a_worker_that_leaves_in_order_costs_no_attempt(self, client, worker, run_id):
        for number in range(1, 9):
            assert worker.take(run_id) == number
            assert worker.release(run_id, number, "worker_shutdown", "").status_code == 204
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["attempts"]) == ("queued", 0)

    @pytest.mark.parametrize("how", ["expiry", "release"])
    def test_a_stopping_run_whose_worker_is_gone_is_stopped(self, client, context, scheduler, worker, run_id, how):
        worker.take(run_id)
        client.post(f"/api/v1/runs/{run_id}/stop")
        if how == "expiry":
            expire_lease(context, run_id)
            scheduler.tick()
        else:
            worker.release(run_id, 1, "crashed", "killed")
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["error"]) == ("stopped", None)

    def test_released_twice_is_refused(self, worker, run_id):
        worker.take(run_id)
        assert worker.release(run_id, 1, detail="its last words: \0").status_code == 204
        assert worker.release(run_id, 1).status_code == 409


class TestStop:
    def test_the_worker_hears_of_it_and_stops(self, client, worker, run_id):
        attempt = worker.take(run_id)
        assert client.post(f"/api/v1/runs/{run_id}/stop").json()["status"] == "stopping"
        assert client.post(f"/api/v1/runs/{run_id}/stop").json()["status"] == "stopping"
        assert worker.tell(run_id, attempt).json()["command"] == "stop"
        worker.tell(run_id, attempt, [{"kind": "stopped", "seq": 0, "step": 50, "wall": 1.0}])
        assert status_of(client, run_id) == "stopped"
        assert client.post(f"/api/v1/runs/{run_id}/stop").status_code == 409

    def test_a_run_that_finishes_before_it_hears_of_it_has_finished(self, client, worker, run_id):
        attempt = worker.take(run_id)
        client.post(f"/api/v1/runs/{run_id}/stop")
        outcome = {"kind": "finished", "seq": 0, "step": 2000, "wall": 1.0, "best_member": 0, "fitness": 1.0}
        worker.tell(run_id, attempt, [outcome])
        assert status_of(client, run_id) == "finished"
