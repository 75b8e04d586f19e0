"""Events are stored exactly once and without gaps, and a resumed run's history is cut back to its checkpoint."""

import math
import random
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies
from sqlalchemy import select

from phylon.backend.accounts import codes
from phylon.backend.accounts.codes import Purpose
from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.context import Context
from phylon.backend.events import ingestion
from phylon.backend.jobs import service as jobs
from phylon.backend.jobs.status import dispatch_all
from phylon.backend.kit import clock
from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.metrics import history
from phylon.backend.migrate import migrate
from phylon.backend.models import Event, MetricSummary, Run, Span
from phylon.backend.settings import Settings
from phylon.contract.events import run_event
from phylon.contract.protocol import ClaimRequest, Enrolment, Heartbeat, ResumeRequest, WorkerRegistration


def finished(seq, final):
    return {
        **{"kind": "finished", "seq": seq, "step": 2000, "wall": 9.0},
        **{"best_member": 0, "fitness": 1.0, "final": final},
    }


def metrics(seq, step=None, **frames):
    frames = {name.replace("__", "/"): values for name, values in (frames or {"a": [1.0, 2.0]}).items()}
    return {
        "kind": "metrics",
        "seq": seq,
        "step": seq * 10 if step is None else step,
        "wall": seq / 2,
        "frames": frames,
    }


def span(id, slot, parent=None, **changes):
    return {
        "id": id,
        "slot": slot,
        "parent": parent,
        "operator": "founder" if parent is None else "perturb",
        "changes": {"discount": "draw" if parent is None else "x0.8"},
        "hyperparams_before": None if parent is None else {"discount": 0.95},
        "hyperparams": {"discount": 0.9},
        "fitness": None if parent is None else -3.0,
        "parent_fitness": None if parent is None else 4.0,
        "rank": None if parent is None else 3,
        "weights": "abc",
    } | changes


def lineage(seq, step, *spans):
    return {"kind": "lineage", "seq": seq, "step": step, "wall": 1.0, "spans": list(spans)}


OWNERS = ("run_id", "job_id")


def job_of(session, run_id):
    return session.get_one(Run, run_id).job_id


def stored(context, run_id):
    with context.database.read() as session:
        return list(
            session.scalars(select(Event.seq).where(Event.job_id == job_of(session, run_id)).order_by(Event.seq))
        )


def snapshot(context, run_id):
    """The whole history as plain values."""
    with context.database.read() as session:
        rows = {}
        for model, order in ((Event, Event.seq), (MetricSummary, MetricSummary.name), (Span, Span.id)):
            owned = Event.job_id == job_of(session, run_id) if model is Event else model.run_id == run_id
            found = session.scalars(select(model).where(owned).order_by(order))
            columns = [column.key for column in model.__table__.columns if column.key not in ("attempt", *OWNERS)]
            rows[model.__name__] = [repr([getattr(row, column) for column in columns]) for row in found]
        run = session.get(Run, run_id)
        returns = (run.best_return, run.median_return, run.last_return, run.sparkline, run.evaluations)
        rows["ticks"] = repr([tick for part in history.all_ticks(session, run_id) for tick in part])
        notes = (run.interruptions, run.diverged_members)
        rows["run"] = repr((run.job.last_seq, run.step, *returns, run.env_steps_per_second, *notes))
        return rows


class TestIngest:
    def test_a_repetition_is_skipped(self, context, worker, run_id):
        attempt = worker.take(run_id)
        for _ in range(2):
            answer = worker.report(run_id, attempt, [metrics(0), metrics(1)])
            assert answer.json()["next_seq"] == 2
        assert stored(context, run_id) == [0, 1]

    def test_of_many_that_report_the_same_at_once_one_is_stored(self, context, worker, run_id):
        """A retry may overtake the request that it repeats."""
        attempt = worker.take(run_id)
        batches = [[metrics(seq) for seq in range(start, start + 8)] for start in (0, 0, 4, 4, 8, 0)]
        barrier, codes = threading.Barrier(len(batches)), []

        def report(batch):
            barrier.wait()
            codes.append(worker.report(run_id, attempt, batch).status_code)

        threads = [threading.Thread(target=report, args=(batch,)) for batch in batches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert codes == [200] * len(batches)
        seqs = stored(context, run_id)
        assert seqs == list(range(len(seqs)))
        assert len(seqs) in (8, 12, 16)

    def test_what_overlaps_is_stored_in_part(self, context, worker, run_id):
        attempt = worker.take(run_id)
        worker.report(run_id, attempt, [metrics(0), metrics(1)])
        assert worker.report(run_id, attempt, [metrics(1), metrics(2)]).json()["next_seq"] == 3
        assert stored(context, run_id) == [0, 1, 2]

    def test_what_follows_a_gap_is_left_out_and_asked_for_again(self, context, worker, run_id):
        attempt = worker.take(run_id)
        assert worker.report(run_id, attempt, [metrics(0), metrics(2)]).json()["next_seq"] == 1
        assert stored(context, run_id) == [0]

    def test_nothing_follows_an_outcome(self, context, worker, run_id):
        attempt = worker.take(run_id)
        outcome = {"kind": "stopped", "seq": 1, "step": 10, "wall": 1.0}
        assert worker.report(run_id, attempt, [metrics(0), outcome, metrics(2)]).json()["next_seq"] == 2
        assert stored(context, run_id) == [0, 1]

    def test_a_failure_names_the_member_and_its_hyperparams(self, client, worker, run_id):
        attempt = worker.take(run_id)
        failed = {
            "kind": "failed",
            "seq": 0,
            "step": 50,
            "wall": 1.0,
            "message": "the critic loss of member 2 is NaN",
            "remedy": "lower the learning rate",
            "member": 2,
            "hyperparams": {"discount": 0.9, "policy_learning_rate": "Infinity"},
        }
        worker.report(run_id, attempt, [failed])
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert run["status"] == "failed"
        assert run["error"] == {key: failed[key] for key in ("message", "remedy", "member", "hyperparams")}
        [summary] = client.get("/api/v1/experiments").json()["items"]
        assert summary["error_message"] == failed["message"]

    def test_progress_follows_the_events(self, client, worker, run_id):
        attempt = worker.take(run_id)
        worker.report(run_id, attempt, [
            metrics(0, 100, evaluation__return=[1.0, 9.0, 2.0, 3.0], speed__env_steps_per_second=[400.0]),
            metrics(1, 200, evaluation__return=[1.0, "NaN", 2.0, 3.0], speed__env_steps_per_second=[800.0]),
        ])  # fmt: skip
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["step"], run["last_seq"]) == (200, 1)
        assert (run["best_return"], run["median_return"]) == (9.0, 2.0)
        assert (run["env_steps_per_second"], run["eta_seconds"]) == (800.0, (2000 - 200) * 4 / 800.0)

    def test_the_final_return_is_the_result(self, client, worker, run_id):
        attempt = worker.take(run_id)
        final = {
            **{"member": 2, "span": 7, "mean": 812.5, "stderr": 15.0, "low": 782.0, "high": 843.0, "episodes": 50},
            **{"last_return": 850.0, "selection_bias": 37.5, "unseen_levels": False},
        }
        worker.report(run_id, attempt, [metrics(0, 2000, evaluation__return=[1.0, 2.0, 850.0, 905.0])])
        assert client.get(f"/api/v1/runs/{run_id}").json()["final"] is None
        worker.report(run_id, attempt, [finished(1, final)])
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["final"], run["best_return"], run["last_return"]) == (
            "finished",
            final,
            905.0,
            905.0,
        )
        [summary] = client.get("/api/v1/experiments").json()["items"]
        assert (summary["final_return"], summary["best_return"]) == (812.5, 905.0)

    def test_a_final_return_that_is_no_number(self, client, worker, run_id):
        numbers = dict.fromkeys(("mean", "stderr", "low", "high", "last_return", "selection_bias"), "NaN")
        final = {"member": 0, "span": 0, "episodes": 1, "unseen_levels": True, **numbers}
        worker.report(run_id, worker.take(run_id), [finished(0, final)])
        assert client.get(f"/api/v1/runs/{run_id}").json()["final"] == final
        assert client.get("/api/v1/experiments").json()["items"][0]["final_return"] == "NaN"

    def test_a_run_of_an_older_worker_has_none(self, client, worker, run_id):
        event = finished(0, None)
        del event["final"]
        worker.report(run_id, worker.take(run_id), [event])
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["status"], run["final"]) == ("finished", None)
        assert client.get("/api/v1/experiments").json()["items"][0]["final_return"] is None

    def test_an_invalid_event_refuses_the_whole_heartbeat(self, context, worker, run_id):
        attempt = worker.take(run_id)
        answer = worker.report(run_id, attempt, [metrics(0), {"kind": "party", "seq": 1, "step": 1, "wall": 0.0}])
        assert answer.status_code == 422
        assert stored(context, run_id) == []

    def test_the_next_attempt_must_say_where_it_takes_up(self, context, worker, run_id):
        worker.take(run_id)
        worker.report(run_id, 1, [metrics(0)])
        worker.release(run_id, 1)
        worker.claim(run_id)
        answer = worker.report(run_id, 2, [metrics(0)])
        assert answer.status_code == 409
        assert "resume" in answer.json()["remedy"]
        assert worker.report(run_id, 2).status_code == 200  # an empty one only renews


class TestLogs:
    def line(self, number, text="x"):
        return {"line": number, "wall": 0.5, "stream": "trainer", "text": text}

    def test_lines_are_stored_once_each_and_belong_to_their_attempt(self, client, worker, run_id):
        worker.take(run_id)
        assert worker.report(run_id, 1, logs=[self.line(0, "a"), self.line(1, "b")]).json()["next_log_line"] == 2
        assert worker.report(run_id, 1, logs=[self.line(1, "b"), self.line(3, "gap")]).json()["next_log_line"] == 2
        worker.release(run_id, 1)
        worker.take(run_id)
        worker.report(run_id, 2, logs=[self.line(0, "c\0d")])
        page = client.get(f"/api/v1/runs/{run_id}/logs").json()
        assert [(line["attempt"], line["line"], line["text"]) for line in page["items"]] == [
            (1, 0, "a"),
            (1, 1, "b"),
            (2, 0, "c\N{REPLACEMENT CHARACTER}d"),
        ]
        second = client.get(f"/api/v1/runs/{run_id}/logs", params={"attempt": 2}).json()
        assert [line["text"][0] for line in second["items"]] == ["c"]

    def test_pages(self, client, worker, run_id):
        worker.take(run_id)
        worker.report(run_id, 1, logs=[self.line(number, str(number)) for number in range(5)])
        seen, after = [], None
        while True:
            page = client.get(
                f"/api/v1/runs/{run_id}/logs", params={"limit": 2} | ({"after": after} if after else {})
            ).json()
            assert page["total"] == 5
            if not page["items"]:
                break
            seen += [line["text"] for line in page["items"]]
            after = page["next"]
        assert seen == ["0", "1", "2", "3", "4"]
        assert page["next"] == after


class TestLineage:
    def test_children_end_the_span_of_their_slot(self, client, worker, run_id):
        attempt = worker.take(run_id)
        worker.report(run_id, attempt, [
            lineage(0, 0, *(span(slot, slot) for slot in range(4))),
            lineage(1, 400, span(4, 2, parent=1, fitness="NaN", parent_fitness="Infinity")),
            lineage(2, 800, span(5, 2, parent=4), span(6, 0, parent=1)),
        ])  # fmt: skip
        answer = client.get(f"/api/v1/runs/{run_id}/lineage").json()
        assert (answer["population_size"], answer["end_step"]) == (4, 800)
        usual = {"names": None, "read": "training"}
        assert answer["tuned"] == [
            {"name": "policy_learning_rate", "scale": "log", "low": 1e-4, "high": 1e-2, **usual},
            {"name": "discount", "scale": "linear", "low": 0.9, "high": 0.99, **usual},
        ]
        spans = {s["id"]: (s["slot"], s["start_step"], s["end_step"]) for s in answer["spans"]}
        assert spans == {
            0: (0, 0, 800), 1: (1, 0, None), 2: (2, 0, 400), 3: (3, 0, None),
            4: (2, 400, 800), 5: (2, 800, None), 6: (0, 800, None),
        }  # fmt: skip
        child = answer["spans"][4]
        assert (child["fitness"], child["parent_fitness"], child["rank"]) == ("NaN", "Infinity", 3)
        assert child["hyperparams_before"] == {"discount": 0.95}


class TestResume:
    def history(self):
        return [
            lineage(0, 0, *(span(slot, slot) for slot in range(4))),
            metrics(1, 100, evaluation__return=[1.0, 2.0, 3.0, 4.0], speed__env_steps_per_second=[10.0]),
            {"kind": "checkpoint", "seq": 2, "step": 100, "wall": 2.0, "number": 2, "file": "000002.npz", "bytes": 3,
             "sha256": "0" * 64},
            metrics(3, 200, evaluation__return=[90.0, 2.0, "NaN", 4.0], speed__env_steps_per_second=[20.0]),
            lineage(4, 200, span(4, 0, parent=3), span(5, 1, parent=3)),
            metrics(5, 300),
        ]  # fmt: skip

    def test_a_resumed_history_is_what_the_checkpoint_saw(self, client, context, worker, run_id):
        worker.take(run_id)
        worker.report(run_id, 1, self.history()[:3])
        at_checkpoint = snapshot(context, run_id)
        worker.report(run_id, 1, self.history())
        whole = snapshot(context, run_id)
        worker.release(run_id, 1)
        claim = worker.claim(run_id).json()
        answer = worker.resume(run_id, claim["attempt"], 3)
        assert answer.json() == {"next_seq": 3, "next_log_line": 0, "command": "continue", "gang": None}
        assert snapshot(context, run_id) == at_checkpoint
        run = client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["step"], run["best_return"], run["median_return"]) == (100, 4.0, 2.5)

        worker.report(run_id, 2, self.history()[3:])
        assert snapshot(context, run_id) == whole

    def test_interruptions_are_kept_and_cut_with_the_history(self, client, context, worker, run_id):
        def interrupted(seq, step, reason):
            return {"kind": "interrupted", "seq": seq, "step": step, "wall": 1.0, "reason": reason}

        def read():
            return client.get(f"/api/v1/runs/{run_id}").json()["interruptions"]

        assert read() == []
        worker.take(run_id)
        worker.report(run_id, 1, [metrics(0), interrupted(1, 120, "stopped"), metrics(2, 200)])
        before = snapshot(context, run_id)
        worker.report(run_id, 1, [interrupted(3, 220, "handed_back")])
        assert read() == [{"step": 120, "reason": "stopped"}, {"step": 220, "reason": "handed_back"}]
        worker.release(run_id, 1)
        worker.take(run_id, from_seq=3)
        assert read() == [{"step": 120, "reason": "stopped"}]
        assert snapshot(context, run_id) == before

    def test_a_diverged_member_is_listed_until_it_is_replaced(self, client, context, worker, run_id):
        def members():
            return client.get(f"/api/v1/runs/{run_id}").json()["diverged_members"]

        def span_2():
            return client.get(f"/api/v1/runs/{run_id}/lineage").json()["spans"][2]["diverged"]

        broken = {"member": 2, "span": 2, "metric": "critic_loss", "value": math.nan, "hyperparams": {"discount": 0.9}}
        worker.take(run_id)
        worker.report(run_id, 1, [lineage(0, 0, *(span(slot, slot) for slot in range(4)))])
        before = snapshot(context, run_id)
        worker.report(run_id, 1, [{"kind": "diverged", "seq": 1, "step": 60, "wall": 1.0, **broken, "value": "NaN"}])
        assert members() == [2]
        assert span_2() == {"step": 60, "metric": "critic_loss", "value": "NaN"}
        alone = snapshot(context, run_id)
        worker.report(run_id, 1, [lineage(2, 100, span(4, 2, parent=0))])
        assert members() == [] and span_2()["step"] == 60
        worker.release(run_id, 1)
        worker.take(run_id, from_seq=2)
        assert members() == [2] and snapshot(context, run_id) == alone
        worker.release(run_id, 2)
        worker.take(run_id, from_seq=1)
        assert members() == [] and span_2() is None and snapshot(context, run_id) == before

    def test_from_the_beginning(self, context, worker, run_id):
        empty = snapshot(context, run_id)
        worker.take(run_id)
        worker.report(run_id, 1, self.history())
        worker.release(run_id, 1)
        worker.take(run_id, from_seq=0)
        assert snapshot(context, run_id) == empty

    def test_beyond_what_is_stored_cuts_nothing_and_asks_for_the_rest(self, context, worker, run_id):
        """The spool of the same machine may be ahead of the service; it sends what is missing."""
        worker.take(run_id)
        worker.report(run_id, 1, self.history()[:2])
        worker.release(run_id, 1)
        worker.claim(run_id)
        assert worker.resume(run_id, 2, 3).json()["next_seq"] == 2
        assert worker.report(run_id, 2, self.history()).json()["next_seq"] == 6
        assert stored(context, run_id) == list(range(6))

    def test_repeated_before_anything_is_told_is_harmless_and_later_refused(self, context, worker, run_id):
        worker.take(run_id)
        worker.report(run_id, 1, self.history())
        worker.release(run_id, 1)
        worker.claim(run_id)
        for _ in range(2):
            assert worker.resume(run_id, 2, 3).status_code == 200
        worker.report(run_id, 2, self.history()[3:4])
        assert worker.resume(run_id, 2, 3).status_code == 409
        assert stored(context, run_id) == [0, 1, 2, 3]


BATCHES = strategies.lists(
    strategies.tuples(strategies.integers(0, 12), strategies.integers(0, 6), strategies.booleans()), max_size=12
)


@pytest.fixture(scope="module")
def embedded(redis_server):
    """A service without HTTP, for many small examples."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'phylon.db'}"
        migrate(url)
        context = Context(
            Settings(database_url=url, artifacts=Path(folder), redis_url=redis_server.url),
            Database(url),
            Doorbell(redis_server.url),
        )
        yield context
        context.doorbell.close()
        context.database.dispose()


def new_run(context, spec):
    from phylon.backend.experiments import service as experiments
    from phylon.backend.workers import enrolment
    from phylon.contract.experiments import FromSpec

    registration = WorkerRegistration(
        name="w", device="cpu", device_name="", device_count=1, memory_bytes=2**34, versions={}, suites=["gymnasium"]
    )
    with context.database.write() as session:
        run_id = experiments.create(session, context, LOCAL_VIEWER, FromSpec(spec=spec)).runs[0].id
        code = codes.issue(session, Purpose.ENROLMENT, {"name": None}).code
        worker = enrolment.enrol(session, Enrolment(code=code, registration=registration), None).worker_id
    with context.database.write() as session:
        job_id = job_of(session, run_id)
        dispatch_all(session, [job_id], clock.now(), {job_id: {"worker_id": worker, "slots": [0]}})
        jobs.claim(session, context, job_id, ClaimRequest(worker_id=worker))
        jobs.resume(session, context, job_of(session, run_id), ResumeRequest(attempt=1, from_seq=0))
    return run_id


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=BATCHES, seed=strategies.integers(0, 1000))
def test_whatever_is_sent_twice_late_or_mixed_up_is_stored_exactly_once(embedded, spec, batches, seed):
    """Random windows of the spool, some shuffled or doubled, as lost answers and retries produce them."""
    run_id = new_run(embedded, spec)
    spool = [run_event.validate_python(metrics(seq, a=[float(seq), math.nan])) for seq in range(13)]
    expected = 0
    for start, length, mixed in batches:
        window = spool[start : start + length]
        if mixed:
            window = window + window
            random.Random(seed).shuffle(window)
        with embedded.database.write() as session:
            answer = jobs.heartbeat(
                session, embedded, job_of(session, run_id), Heartbeat(attempt=1, events=window, logs=[])
            )
        if start <= expected < start + len(spool[start : start + length]):
            expected = start + len(spool[start : start + length])
        assert answer.next_seq == expected
        assert stored(embedded, run_id) == list(range(expected))
    with embedded.database.read() as session:
        assert [tick.seq for part in history.all_ticks(session, run_id) for tick in part] == list(range(expected))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=strategies.integers(0, 8), selections=strategies.lists(strategies.integers(0, 3), min_size=8, max_size=8))
def test_cutting_back_undoes_exactly_what_came_after(embedded, spec, cut, selections):
    """For any history: reporting it up to a point, or reporting more and cutting back to that point, is the same."""
    spool = [lineage(0, 0, *(span(slot, slot) for slot in range(4)))]
    for seq, slot in enumerate(selections, start=1):
        spool.append(lineage(seq, seq * 10, span(3 + seq, slot, parent=slot)))
    events = [run_event.validate_python(event) for event in spool]
    direct, cut_back = new_run(embedded, spec), new_run(embedded, spec)
    with embedded.database.write() as session:
        jobs.heartbeat(session, embedded, job_of(session, direct), Heartbeat(attempt=1, events=events[:cut], logs=[]))
        jobs.heartbeat(session, embedded, job_of(session, cut_back), Heartbeat(attempt=1, events=events, logs=[]))
        ingestion.cut_back(session, embedded, session.get(Run, cut_back).job, cut)

    assert snapshot(embedded, direct) == snapshot(embedded, cut_back)
