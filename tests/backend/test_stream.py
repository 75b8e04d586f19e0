"""The event stream over a real server: nothing missed, nothing doubled, and cut-backs are reported."""

import json
import math
from collections import Counter

import httpx
import pytest

from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.experiments import repository as experiments
from phylon.backend.models import Run

DATABASES = ("postgres",)
"""SQLite is what the integration tests run on."""


class Stream:
    """A reader as a browser is one."""

    def __init__(self, server, run_id, last_event_id=None, **parameters):
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        self._client = httpx.Client(timeout=60, trust_env=False)
        self._context = self._client.stream(
            "GET", f"{server}/api/v1/runs/{run_id}/events", params=parameters, headers=headers
        )
        self.response = self._context.__enter__()
        self._lines = self.response.iter_lines()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._context.__exit__(None, None, None)
        self._client.close()

    def __iter__(self):
        message = {}
        for line in self._lines:
            if line.startswith(":"):
                continue
            if line:
                field, _, value = line.partition(": ")
                message[field] = value
            elif message:
                message["data"] = json.loads(message["data"])
                yield message
                message = {}

    def take(self, count):
        """The next `count` messages that are no status."""
        found = []
        for message in self:
            if message["event"] != "status":
                found.append(message)
            if len(found) == count:
                break
        return found

    def until_status(self, *statuses):
        return next(m for m in self if m["event"] == "status" and m["data"]["status"] in statuses)


def metrics(seq, *values):
    return {"kind": "metrics", "seq": seq, "step": seq, "wall": 0.5, "frames": {"a": list(values) or [1.0], "b": [2.0]}}


def outcome(seq):
    end = {"reason": "budget", "best_member": 0, "fitness": "NaN", "final": None}
    return {"kind": "finished", "seq": seq, "step": 99, "wall": 1.0} | end


def ids(messages):
    return [message.get("id") for message in messages]


def test_the_whole_history_then_the_end(server, worker, run_id):
    attempt = worker.take(run_id)
    reported = [metrics(0, 0.25, "NaN", "-Infinity"), metrics(1, 1.0, 2.0, 3.0), outcome(2)]
    worker.report(run_id, attempt, reported)
    with Stream(server, run_id) as stream:
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        messages = list(stream)  # ends by itself
    events = [message for message in messages if message["event"] != "status"]
    assert ids(events) == ["1-0", "1-1", "1-2"]
    assert [event["event"] for event in events] == ["metrics", "metrics", "finished"]
    assert [event["data"] for event in events] == reported
    assert messages[-1]["event"] == "status"
    assert "id" not in messages[-1]
    assert (messages[-1]["data"]["status"], messages[-1]["data"]["last_seq"]) == ("finished", 2)


def test_news_arrive_while_one_listens(server, client, worker, run_id):
    with Stream(server, run_id) as stream:
        assert stream.until_status("queued", "dispatched")
        attempt = worker.take(run_id)
        assert stream.until_status("running")["data"]["worker_name"] == "first"
        for seq in range(3):
            worker.report(run_id, attempt, [metrics(seq)])
            assert ids(stream.take(1)) == [f"1-{seq}"]
        client.post(f"/api/v1/runs/{run_id}/stop")
        assert stream.until_status("stopping")
        worker.report(run_id, attempt, [{"kind": "stopped", "seq": 3, "step": 5, "wall": 1.0}])
        assert ids(stream.take(1)) == ["1-3"]
        assert [message["data"]["status"] for message in stream] == ["stopped"]


def test_long_histories_come_in_batches(server, worker, run_id):
    attempt = worker.take(run_id)
    worker.report(run_id, attempt, [*(metrics(seq) for seq in range(450)), outcome(450)])
    with Stream(server, run_id) as stream:
        events = [message for message in stream if message["event"] != "status"]
    assert ids(events) == [f"1-{seq}" for seq in range(451)]


@pytest.mark.parametrize("how", ["header", "query", "both"])
def test_a_reader_resumes_where_it_left_off(server, worker, run_id, how):
    attempt = worker.take(run_id)
    worker.report(run_id, attempt, [metrics(0), metrics(1), metrics(2), outcome(3)])
    arguments = {"header": {"last_event_id": "1-1"}, "query": {"after": "1-1"}}
    # A browser that reconnects repeats its first address; its header is newer.
    both = {"last_event_id": "1-1", "after": "1-0"}
    with Stream(server, run_id, **arguments.get(how, both)) as stream:
        events = [message for message in stream if message["event"] != "status"]
    assert ids(events) == ["1-2", "1-3"]


class Many(Stream):
    """A reader of several runs at once."""

    def __init__(self, server, runs, last_event_id=None, **parameters):
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        self._client = httpx.Client(timeout=60, trust_env=False)
        asked = {"runs": ",".join(map(str, runs)), **parameters}
        self._context = self._client.stream("GET", f"{server}/api/v1/events", params=asked, headers=headers)
        self.response = self._context.__enter__()
        self._lines = self.response.iter_lines()


class TestManyRuns:
    def test_one_stream_until_all_have_ended(self, server, worker, submit, context):
        first, second = (run["id"] for run in submit(replicates=2)["runs"])
        worker.take(first)
        worker.report(first, 1, [metrics(0, 1.0), metrics(1, 2.0)])
        with Many(server, [first, 999, second]) as stream:
            found = stream.take(3)
            assert [(m["event"], m["data"]["id"], m["data"]["position"]) for m in found] == [
                ("gone", 999, None),
                ("metrics", first, "1-0"),
                ("metrics", first, "1-1"),
            ]
            assert found[0]["data"] == {"kind": "run", "id": 999, "position": None, "message": None}
            assert found[-1]["data"]["message"]["frames"] == {"a": [2.0], "b": [2.0]}
            assert found[-1]["id"] == "1-1,,"
            worker.report(first, 1, [outcome(2)])
            assert stream.take(1)[0]["data"]["message"]["kind"] == "finished"
            worker.take(second)
            worker.report(second, 1, [metrics(0), outcome(1)])
            rest = list(stream)  # ends by itself
        assert {m["data"]["id"] for m in rest} == {first, second}
        assert [m["id"] for m in rest if m["event"] != "status"] == ["1-2,,1-0", "1-2,,1-1"]
        for resumed in (Many(server, [first, 999, second], "1-1,,1-0"), Many(server, [first, second], after="1-1,1-0")):
            with resumed as stream:
                found = [m["data"] for m in stream if m["event"] not in ("status", "gone")]
            assert [(m["id"], m["position"]) for m in found] == [(first, "1-2"), (second, "1-1")]
        with context.database.write() as session:
            session.delete(experiments.get(session, LOCAL_VIEWER, 1))
        with Many(server, [first, second]) as stream:
            assert [m["event"] for m in stream] == ["gone", "gone"]

    def test_questions_that_make_no_sense(self, server, run_id):
        for asked in (
            {},
            {"runs": "1,1"},
            {"runs": "x"},
            {"runs": "1", "after": "1-1,1-1"},
            {"runs": "1,2", "after": "a,"},
        ):
            answer = httpx.get(f"{server}/api/v1/events", params=asked, trust_env=False)
            assert answer.status_code == 422, asked


class TestRewind:
    @pytest.fixture
    def resumed(self, worker, run_id):
        """Attempt 1 reported 0..5; attempt 2 took the run up at 3 and reported 3 and 4."""
        worker.take(run_id)
        worker.report(run_id, 1, [metrics(seq, 1.0) for seq in range(6)])
        worker.release(run_id, 1)
        worker.take(run_id, from_seq=3)
        worker.report(run_id, 2, [metrics(seq, 2.0) for seq in (3, 4)])
        return run_id

    @pytest.mark.parametrize("position", ["1-3", "1-5"])
    def test_who_saw_what_is_void_is_notified(self, server, resumed, position):
        with Stream(server, resumed, position) as stream:
            rewind, *events = stream.take(3)
        assert (rewind["event"], rewind["data"]) == ("rewind", {"seq": 3, "attempt": 2})
        assert ids(events) == ["2-3", "2-4"]
        assert events[0]["data"]["frames"]["a"] == [2.0]

    def test_even_when_the_new_history_is_already_longer(self, server, worker, resumed):
        worker.report(resumed, 2, [metrics(seq, 2.0) for seq in range(5, 9)])
        with Stream(server, resumed, "1-5") as stream:
            assert [message["event"] for message in stream.take(7)] == ["rewind"] + ["metrics"] * 6

    @pytest.mark.parametrize(
        ("position", "expected"), [("1-2", ["2-3", "2-4"]), ("1-1", ["1-2", "2-3"]), ("2-3", ["2-4"])]
    )
    def test_who_saw_only_what_stands_is_not(self, server, resumed, position, expected):
        with Stream(server, resumed, position) as stream:
            assert ids(stream.take(len(expected))) == expected

    def test_several_cut_backs_are_reported_as_one(self, server, worker, resumed):
        worker.release(resumed, 2)
        worker.take(resumed, from_seq=4)
        worker.report(resumed, 3, [metrics(4, 3.0)])
        with Stream(server, resumed, "1-5") as stream:
            rewind, *events = stream.take(3)
        assert rewind["data"] == {"seq": 3, "attempt": 3}
        assert ids(events) == ["2-3", "3-4"]

    def test_while_one_listens_and_only_once(self, server, worker, run_id):
        worker.take(run_id)
        worker.report(run_id, 1, [metrics(seq) for seq in range(4)])
        with Stream(server, run_id) as stream:
            assert len(stream.take(4)) == 4
            worker.release(run_id, 1)
            worker.take(run_id, from_seq=0)
            [rewind] = stream.take(1)
            assert rewind["data"] == {"seq": 0, "attempt": 2}
            worker.report(run_id, 2, [metrics(0), outcome(1)])
            assert Counter(message["event"] for message in stream if message["event"] != "status") == {
                "metrics": 1,
                "finished": 1,
            }


def test_a_run_that_ends_without_an_outcome_ends_the_stream(server, client, run_id):
    with Stream(server, run_id) as stream:
        assert stream.until_status("queued")
        client.post(f"/api/v1/runs/{run_id}/stop")
        assert [message["data"]["status"] for message in stream] == ["stopped"]


def test_a_run_that_is_deleted_ends_the_stream(server, context, run_id):
    with Stream(server, run_id) as stream:
        assert stream.until_status("queued")
        with context.database.write() as session:
            session.delete(experiments.get(session, LOCAL_VIEWER, 1))
        assert list(stream) == []


def test_listeners_hold_no_connection_and_leave_nothing_behind(server, context, run_id, wait_for):
    with context.database.read() as session:
        job_id = session.get(Run, run_id).job_id
    pool, watchers = context.database.engine.pool, context.doorbell._watchers
    streams = [Stream(server, run_id) for _ in range(5)]
    for stream in streams:
        assert stream.until_status("queued")
    assert len(watchers[f"job {job_id}"]) == 5
    wait_for(lambda: pool.checkedout() == 0, "the connections to be given back while all listen")
    for stream in streams:
        stream.__exit__()
    wait_for(lambda: not watchers, "the listeners to be forgotten")
    wait_for(lambda: pool.checkedout() == 0, "the last look of each listener to end")


@pytest.mark.parametrize("position", ["5", "a-b", "1-", "-1-2", "1-2-3", "9" * 30 + "-1"])
def test_a_position_that_makes_no_sense_is_refused(server, run_id, position):
    answer = httpx.get(f"{server}/api/v1/runs/{run_id}/events", params={"after": position}, trust_env=False)
    assert answer.status_code == 422
    assert "exactly as it came" in answer.json()["remedy"]


def test_an_unknown_run_is_not_found(server):
    answer = httpx.get(f"{server}/api/v1/runs/123/events", trust_env=False)
    assert answer.status_code == 404
    assert answer.json()["detail"] == "There is no run 123."


def test_without_redis_news_still_arrive(own_redis, settings, request):
    """The doorbell is only the quick way; readers look by themselves."""
    object.__setattr__(settings, "redis_url", own_redis.url)
    own_redis.stop()
    server = request.getfixturevalue("server")
    worker, run_id = request.getfixturevalue("worker"), request.getfixturevalue("run_id")
    with Stream(server, run_id) as stream:
        assert stream.until_status("queued")
        attempt = worker.take(run_id)
        worker.report(run_id, attempt, [metrics(0, math.pi)])
        assert ids(stream.take(1)) == ["1-0"]
