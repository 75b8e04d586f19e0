"""What an operator sees: figures in Prometheus' format over a real server, and log lines that belong together."""

import dataclasses
import io
import json
import logging
from typing import Any

import httpx
import pytest
import structlog
from prometheus_client.parser import text_string_to_metric_families

from phylon.backend.kit import logging as our_logging
from phylon.backend.models import Worker
from phylon.backend.monitoring import gauges
from phylon.backend.monitoring.meters import make_meters
from phylon.backend.monitoring.requests import choose_id
from phylon.contract.events import run_event


def read(url: str, **headers: str) -> dict[tuple[str, ...], float]:
    return parse(httpx.get(f"{url}/metrics", headers=headers))


def parse(answer: Any) -> dict[tuple[str, ...], float]:
    """By the sample's name and the values of its labels in the order of their names."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture(autouse=True)
def fresh_gauges(monkeypatch):
    monkeypatch.setattr(gauges, "KEPT_SECONDS", -1.0)


class TestMetrics:
    def test_the_queue_and_the_slots(self, server, submit, worker, make_worker, context, wait_for):
        run_id = submit()["runs"][0]["id"]
        wait_for(lambda: worker.claim(run_id).status_code in (200, 409), "the first run to be taken")
        make_worker("second", suites=[])
        make_worker("third", suites=[])
        with context.database.write() as session:
            second, third = (session.get_one(Worker, number) for number in (2, 3))
            second.draining_since = second.last_seen_at
            third.quarantined_at, third.slots = third.last_seen_at, 4
        submit()
        found = read(server)
        assert found["phylon_queue_jobs", "normal", "default"] == 1
        assert found["phylon_queue_oldest_seconds", "normal", "default"] >= 0
        slots = {key[1]: value for key, value in found.items() if key[0] == "phylon_slots"}
        assert slots == {"total": 6, "busy": 1, "draining": 1, "quarantined": 4}
        assert found["phylon_utilisation",] == pytest.approx(1 / 6)
        assert found["phylon_workers",] == 3
        assert 0 <= found["phylon_oldest_lease_seconds",] < context.settings.lease_seconds
        assert found["phylon_webhook_outbox",] == 0
        wait_for(lambda: read(server)["phylon_scheduler_tick_seconds_count",] > 0, "a tick to be counted")

    def test_requests_by_route_template_and_status(self, server):
        for path in ("/api/v1/runs/41", "/api/v1/runs/42", "/api/v1/presets", "/made-up/1", "/made-up/2"):
            httpx.get(server + path)
        found = read(server)
        counts = {key[1:]: value for key, value in found.items() if key[0] == "phylon_request_seconds_count"}
        assert counts["GET", "/runs/{id}", "404"] == 2
        assert counts["GET", "/presets", "200"] == 1
        assert counts["GET", "other", "404"] == 2, "made-up paths make no labels"

    def test_the_lag_of_events_that_waited_in_a_spool(self):
        meters = make_meters()

        def event(seq: int, wall: float):
            raw = {"kind": "metrics", "seq": seq, "step": seq, "wall": wall, "frames": {}}
            return run_event.validate_python(raw)

        meters.ingest_lag.note(1, 1, [event(0, 10.0)], now=1010.0)
        meters.ingest_lag.note(1, 1, [event(1, 20.0)], now=1020.0)
        meters.ingest_lag.note(1, 1, [event(2, 30.0), event(3, 80.0)], now=1090.0)
        meters.ingest_lag.note(1, 1, [], now=2000.0)
        value = meters.registry.get_sample_value
        assert value("phylon_ingest_lag_seconds_count") == 3
        assert value("phylon_ingest_lag_seconds_sum") == pytest.approx(60.0)

    def test_a_heartbeat_is_measured(self, client, worker, submit):
        run_id = submit()["runs"][0]["id"]
        attempt = worker.take(run_id)
        answer = worker.report(run_id, attempt, [{"kind": "metrics", "seq": 0, "step": 1, "wall": 1.0, "frames": {}}])
        assert answer.status_code == 200, answer.text
        assert parse(client.get("/metrics"))["phylon_ingest_lag_seconds_count",] == 1

    def test_without_a_database_the_rest_is_there(self, tmp_path, redis_server):
        from starlette.testclient import TestClient

        from phylon.backend.app import create_app
        from phylon.backend.settings import Settings

        url = f"sqlite:///{tmp_path / 'empty.db'}"
        app = create_app(Settings(database_url=url, artifacts=tmp_path, redis_url=redis_server.url))
        answer = TestClient(app, base_url="http://127.0.0.1").get("/metrics")
        assert "phylon_database_up 0.0" in answer.text and "phylon_request_seconds" in answer.text
        app.state.context.doorbell.close()
        app.state.context.database.dispose()


class TestWhoMayScrape:
    @pytest.fixture
    def settings(self, settings):
        return dataclasses.replace(settings, metrics_token="a-token-for-prometheus")

    def test_with_the_token_only(self, server):
        assert httpx.get(f"{server}/metrics").status_code == 401
        assert httpx.get(f"{server}/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert read(server, Authorization="Bearer a-token-for-prometheus")

    def test_nobody_where_there_are_accounts_and_no_token(self, context):
        from phylon.backend.monitoring.endpoints import may_scrape

        shared = dataclasses.replace(context.settings, public_url="https://phylon.example", metrics_token=None)
        assert not may_scrape(dataclasses.replace(context, settings=shared), "")


class TestRequestIds:
    def test_ours_or_the_callers(self, client):
        made = client.get("/api/v1/presets").headers["x-request-id"]
        assert made and made != client.get("/api/v1/presets").headers["x-request-id"]
        answer = client.get("/api/v1/runs/9", headers={"X-Request-ID": "worker-7.3:a_b"})
        assert answer.headers["x-request-id"] == "worker-7.3:a_b"

    @pytest.mark.parametrize("given", [None, "", "a b", "a\nb", "x" * 65, "<script>", 'a"b', "é"])
    def test_what_is_not_sane_is_replaced(self, given):
        assert choose_id(given) != given


@pytest.fixture
def json_lines():
    """What the service logs as JSON, read back; the logging of the test process is put back afterwards."""
    root = logging.getLogger()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    written = io.StringIO()
    our_logging.configure("json")
    root.handlers[0].stream = written  # pyright: ignore[reportAttributeAccessIssue]

    def lines() -> list[dict[str, Any]]:
        """Without those of the test's own client, which is in the same process."""
        read = [json.loads(line) for line in written.getvalue().splitlines()]
        return [line for line in read if line["logger"] != "httpx2"]

    yield lines
    root.handlers, root.level = handlers, level
    structlog.configure(**configuration)


class TestJsonLogs:
    def test_lines_of_a_request_carry_its_id_and_its_job(self, json_lines, app, client, worker, run_id):
        attempt = worker.take(run_id)
        worker.release(run_id, attempt)
        lines = [line for line in json_lines() if line["event"] == "request"]
        claims = [line for line in lines if line["path"].endswith("/claim")]
        assert [line["job_id"] for line in claims] == [worker.job_id(run_id)]
        assert all(line["request_id"] and line["timestamp"] and line["level"] for line in lines)

    def test_a_failure_is_logged_with_job_attempt_and_request(self, json_lines, app, settings, worker, run_id):
        """From deep within: the attempt is known to whoever logs after the fence."""
        from starlette.testclient import TestClient

        attempt = worker.take(run_id)
        careless = TestClient(app, base_url="http://127.0.0.1:8787", raise_server_exceptions=False)
        worker._client = careless
        app.state.context.meters.ingest_lag.note = None  # pyright: ignore[reportAttributeAccessIssue]
        answer = worker.report(run_id, attempt)
        assert answer.status_code == 500
        [failure] = [line for line in json_lines() if line["event"] == "request_failed"]
        assert failure["request_id"] == answer.headers["x-request-id"]
        assert (failure["job_id"], failure["attempt"]) == (worker.job_id(run_id), attempt)
        assert "default-src 'none'" in answer.headers["content-security-policy"], "failures are as guarded as the rest"
        assert app.state.context.meters.registry.get_sample_value("phylon_errors_total", {"kind": "request"}) == 1

    def test_no_line_holds_a_secret(self, json_lines, app, client, worker, run_id, settings):
        secret = "secret-of-a-user-1f"
        headers = {"Authorization": f"Bearer {secret}", "Cookie": f"session={secret}"}
        client.get("/api/v1/runs/999", headers=headers)
        client.post("/api/v1/worker/register", json={"token": secret}, headers=headers)
        client.post("/api/v1/experiments", json={"yaml": secret}, headers=headers)
        client.get(f"/api/v1/runs/999?token={secret}", headers=headers)
        worker.take(run_id)
        text = json.dumps(json_lines())
        assert len(json_lines()) > 3
        assert secret not in text and worker.headers["Authorization"].split()[1] not in text
