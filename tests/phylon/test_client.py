"""The Python client against the real service, with a worker played by hand."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from phylon import ApiError, NotFound, PhylonUnreachable, SpecInvalid, load_preset, parse_yaml
from phylon.client import Client
from phylon.contract.events import Finished, Lineage, Metrics, RunEvent, Span, Started
from phylon.contract.experiments import ExperimentSummary
from phylon.contract.protocol import LogLine
from phylon.contract.runs import Run
from phylon.contract.stream import Rewind
from phylon.contract.vocabulary import ExperimentStatus
from phylon.spec import read_yaml, spec_to_json
from phylon.spec.runtime_study import parse_study

SMOKE = load_preset("td3-pbt-pendulum-smoke").yaml
NAN = float("nan")


def started(seq: int, resumed: bool = False) -> Started:
    return Started(
        kind="started", seq=seq, step=0, wall=0.1, resumed=resumed, strategy="sharded", explanation="asked for",
        devices=["cpu:0"], versions={}, parameters=1,
    )  # fmt: skip


def evaluation(seq: int, *returns: float) -> Metrics:
    return Metrics(
        kind="metrics", seq=seq, step=seq * 1000, wall=float(seq), frames={"evaluation/return": list(returns)}
    )


def founders(seq: int, count: int = 8) -> Lineage:
    spans = [
        Span(
            id=slot, slot=slot, parent=None, operator="founder", changes={}, hyperparams_before=None,
            hyperparams={"discount": 0.9}, fitness=None, parent_fitness=None, rank=None, weights="00",
        )
        for slot in range(count)
    ]  # fmt: skip
    return Lineage(kind="lineage", seq=seq, step=0, wall=0.0, spans=spans)


def finished(seq: int) -> Finished:
    return Finished(kind="finished", seq=seq, step=12_000, wall=60.0, best_member=1, fitness=-150.0, final=None)


def events_of(messages: list[Any]) -> list[RunEvent]:
    return [message for message in messages if not isinstance(message, Run | Rewind)]


@pytest.fixture
def run_id(client: Client) -> int:
    return client.submit(parse_yaml(SMOKE)).runs[0].id


class TestSubmit:
    def test_every_form_of_a_spec(self, client: Client, tmp_path: Path):
        file = tmp_path / "spec.yaml"
        file.write_text(SMOKE)
        spec = parse_yaml(SMOKE)
        for source in (spec, spec_to_json(spec), SMOKE, file, str(file)):
            experiment = client.submit(source)
            assert parse_yaml(experiment.yaml) == spec
            assert [run.status for run in experiment.runs] == ["queued"]

    def test_one_run_a_replicate(self, client: Client):
        raw = spec_to_json(parse_yaml(SMOKE)) | {"replicates": 3, "seed": 10}
        assert [(run.replicate, run.seed) for run in client.submit(raw).runs] == [(0, 10), (1, 11), (2, 12)]

    def test_an_invalid_one_is_refused_with_its_problems_and_not_stored(self, client: Client):
        before = len(client.experiments())
        raw = spec_to_json(parse_yaml(SMOKE)) | {"seed": -1}
        with pytest.raises(SpecInvalid) as caught:
            client.submit(raw)
        (problem,) = caught.value.problems
        assert (problem["path"], problem["value"]) == ("seed", -1) and problem["remedy"]
        assert len(client.experiments()) == before

    def test_text_that_is_no_yaml(self, client: Client):
        with pytest.raises(SpecInvalid, match="line 2"):
            client.submit("version: 1\n  name: x")

    def test_an_answer_that_is_lost_submits_once(self, client: Client, monkeypatch: pytest.MonkeyPatch):
        before = len(client.experiments())
        post, lost = client._transport._http.post, []

        def lose_the_first_answer(*arguments: Any, **named: Any) -> Any:
            answer = post(*arguments, **named)
            if not lost:
                lost.append(answer.json()["id"])
                raise httpx.ReadError("connection lost")
            return answer

        monkeypatch.setattr(client._transport._http, "post", lose_the_first_answer)
        assert [client.submit(SMOKE).id] == lost
        assert len(client.experiments()) == before + 1


class TestRead:
    def test_validate(self, client: Client):
        report = client.validate(SMOKE)
        assert report.valid and report.forecast and report.forecast.members == 8
        report = client.validate({"version": 1})
        assert not report.valid and "budget" in [problem["path"] for problem in report.problems]

    def test_advice(self, client: Client, worker):
        advice = client.advice(SMOKE)
        assert advice.members == 8 and advice.member_state_bytes > 0
        [own] = [known for known in advice.workers if known.worker_id == worker.id]
        assert own.members > 0 and own.needed_bytes < own.usable_bytes
        assert advice.probe and parse_study(read_yaml(advice.probe)).algorithms == ("td3",)
        with pytest.raises(SpecInvalid):
            client.advice({"version": 1})

    def test_presets_environments_health(self, client: Client):
        assert client.presets()[0].name == "td3-pbt-pendulum-smoke"
        assert [e.id for e in client.environments("gymnasium", "HalfCheetah-v5")] == ["HalfCheetah-v5"]
        assert client.health().status == "ok"

    def test_list(self, client: Client, run_id: int):
        client.submit(parse_yaml(SMOKE))
        every = client.experiments(search="pendulum", status=ExperimentStatus.QUEUED)
        assert len(every) > 1 and every[0].population_size == 8
        assert client.experiments(search="pendulum", status=ExperimentStatus.QUEUED, limit=1) == every[:1]
        assert [row.id for row in client.experiments(limit=3)] == [row.id for row in client.experiments()[:3]]

    def test_a_list_is_followed_page_by_page(self, client: Client, run_id: int):
        client.submit(parse_yaml(SMOKE))
        by_page = client._list("/experiments", ExperimentSummary, page_size=1)
        assert [row.id for row in by_page] == [row.id for row in client.experiments()]

    def test_an_unknown_id(self, client: Client):
        with pytest.raises(NotFound, match="999999") as caught:
            client.experiment(999_999)
        assert caught.value.status == 404 and caught.value.remedy

    def test_what_a_run_found(self, client: Client, worker, run_id: int, tmp_path: Path):
        attempt = worker.claim(run_id)
        line = LogLine(line=0, wall=0.5, stream="trainer", text="hello")
        worker.report(run_id, attempt, started(0), founders(1), evaluation(2, -900.0, NAN), logs=[line])
        worker.report(run_id, attempt, evaluation(3, -800.0, float("inf")))
        content = b"weights" * 1000
        worker.upload(run_id, attempt, "000100.npz", content)
        assert client.metric_names(run_id) == ["evaluation/return"]
        series = client.metrics(run_id)["evaluation/return"]
        np.testing.assert_array_equal(series.steps, [2000, 3000])
        np.testing.assert_array_equal(series.values, np.array([[-900.0, NAN], [-800.0, np.inf]]))
        assert client.metrics(run_id, []) == {}
        lineage = client.lineage(run_id)
        assert [span.start_step for span in lineage.spans] == [0] * 8
        assert {tuned.name for tuned in lineage.tuned} >= {"discount"}
        assert [line.text for line in client.logs(run_id)] == ["hello"]
        (artifact,) = client.artifacts(run_id)
        path = client.download(artifact, tmp_path)
        assert path.read_bytes() == content
        damaged = artifact.model_copy(update={"sha256": hashlib.sha256(b"else").hexdigest(), "name": "other.npz"})
        with pytest.raises(ApiError, match="arrived damaged"):
            client.download(damaged, tmp_path)
        assert [file.name for file in tmp_path.iterdir()] == ["000100.npz"], "a damaged file must not be left behind"
        assert worker.id in [known.id for known in client.workers()]


class TestStop:
    def test_a_queued_experiment(self, client: Client):
        experiment = client.submit(SMOKE)
        assert client.stop(experiment.id).runs[0].status == "stopped"
        with pytest.raises(ApiError) as caught:
            client.stop(experiment.id)
        assert caught.value.status == 409
        client.delete(experiment.id)
        with pytest.raises(NotFound):
            client.experiment(experiment.id)

    def test_one_run(self, client: Client, run_id: int):
        assert client.stop_run(run_id).ended


class TestWatch:
    def test_from_the_beginning_to_the_end(self, client: Client, worker, later, run_id: int):
        attempt = worker.claim(run_id)
        events = [started(0), founders(1), evaluation(2, -900.0), finished(3)]
        later(lambda: [worker.report(run_id, attempt, event) for event in events])
        messages = list(client.watch(run_id))
        assert events_of(messages) == events
        assert any(isinstance(message, Run) and message.status == "running" for message in messages)

    def test_a_run_that_ended_long_ago(self, client: Client, worker, run_id: int):
        attempt = worker.claim(run_id)
        worker.report(run_id, attempt, started(0), finished(1))
        assert events_of(list(client.watch(run_id))) == [started(0), finished(1)]
        assert events_of(list(client.watch(run_id, after=f"{attempt}-0"))) == [finished(1)]
        assert events_of(list(client.watch(run_id, after=f"{attempt}-1"))) == []

    def test_a_run_that_was_stopped_before_it_began(self, client: Client, run_id: int):
        client.stop_run(run_id)
        (message,) = client.watch(run_id)
        assert isinstance(message, Run) and message.status == "stopped"

    def test_a_resumed_run_is_rewound(self, client: Client, worker, run_id: int):
        first = worker.claim(run_id)
        worker.report(run_id, first, started(0), evaluation(1, 1.0), evaluation(2, 2.0))
        watching = client.watch(run_id)
        seen: list[Any] = []
        while not (seen and isinstance(seen[-1], Metrics) and seen[-1].seq == 2):
            seen.append(next(watching))
        worker.crash(run_id, first)
        second = worker.claim(run_id)
        worker.resume(run_id, second, from_seq=2)
        again = [started(2, resumed=True), evaluation(3, 3.0), finished(4)]
        worker.report(run_id, second, *again)
        rest = list(watching)
        (rewind,) = [message for message in rest if isinstance(message, Rewind)]
        assert rewind.seq == 2
        assert events_of(rest) == again

    def test_a_service_that_was_away_is_taken_up_again(self, client: Client, service, worker, run_id: int):
        attempt = worker.claim(run_id)
        worker.report(run_id, attempt, started(0), evaluation(1, 1.0))
        watching = client.watch(run_id)
        seen = [next(watching) for _ in range(2)]
        service.stop()
        service.start()
        worker.report(run_id, attempt, evaluation(2, 2.0), finished(3))
        assert events_of(seen + list(watching)) == [started(0), evaluation(1, 1.0), evaluation(2, 2.0), finished(3)]

    def test_closing_ends_the_watching_of_other_threads(self, service, run_id: int):
        client = Client(service.url)
        began, seen = threading.Event(), []

        def watch() -> None:
            for message in client.watch(run_id):
                seen.append(message)
                began.set()

        thread = threading.Thread(target=watch)  # an exception in it would fail the test: warnings are errors
        thread.start()
        assert began.wait(30)
        client.close()
        thread.join(10)
        assert not thread.is_alive() and [message.status for message in seen] == ["queued"]

    def test_an_unknown_run(self, client: Client):
        with pytest.raises(NotFound):
            next(client.watch(999_999))


class TestNobodyThere:
    @pytest.mark.parametrize("url", ["http://127.0.0.1:9", "127.0.0.1:8787"])
    def test_the_remedy_is_named(self, url: str):
        with pytest.raises(PhylonUnreachable, match="start it with `phylon up`"), Client(url, timeout=5) as client:
            client.health()

    def test_watching_gives_up_in_the_end(self):
        with Client("http://127.0.0.1:9") as client, pytest.raises(PhylonUnreachable):
            next(client.watch(1, patience=0.1))

    def test_the_address_comes_from_the_environment(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("PHYLON_API_URL", "http://127.0.0.1:1234/")
        with Client() as client:
            assert client.url == "http://127.0.0.1:1234"


class TestSomebodyElseThere:
    """Something that is not Phylon listens at the address."""

    @pytest.fixture
    def stranger(self) -> Iterator[Callable[[bytes], str]]:
        servers: list[ThreadingHTTPServer] = []

        def listen(body: bytes) -> str:
            class Handler(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

                def log_message(self, format: str, *args: object) -> None:
                    pass

            server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            servers.append(server)
            threading.Thread(target=server.serve_forever).start()
            return f"http://127.0.0.1:{server.server_port}"

        yield listen
        for server in servers:
            server.shutdown()
            server.server_close()

    @pytest.mark.parametrize("body", [b"<html>hello</html>", b'{"status": "ok"}', b"[]"])
    def test_the_address_is_doubted(self, stranger: Callable[[bytes], str], body: bytes):
        with Client(stranger(body)) as client, pytest.raises(ApiError, match="PHYLON_API_URL"):
            client.health()
