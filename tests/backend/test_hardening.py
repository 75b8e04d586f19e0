"""What the service says to browsers, and how much and how often it lets itself be asked."""

import dataclasses
import hashlib
import re
from collections.abc import Iterator

import httpx
import pytest
from starlette.testclient import TestClient

from phylon.backend.app import create_app
from phylon.backend.kit.body_limit import MEGABYTE
from phylon.backend.kit.rate_limit import LIMITS, LimitRates, RateLimit
from phylon.backend.kit.security_headers import content_policy
from phylon.backend.monitoring.meters import make_meters
from phylon.backend.settings import SettingInvalid, from_environment

DATABASES = ("sqlite",)
"""Headers and limits know no database."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; font-src 'self' data:; worker-src 'self'; base-uri 'none'; object-src 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)


class TestHeaders:
    @pytest.mark.parametrize("path", ["/api/v1/presets", "/api/v1/runs/999", "/api/docs", "/nowhere", "/metrics"])
    def test_on_every_answer(self, client, path):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]
        assert "strict-transport-security" not in headers

    def test_on_refusals_too(self, client):
        headers = client.get("/api/v1/presets", headers={"Host": "evil.example"}).headers
        assert headers["content-security-policy"] == POLICY and headers["x-request-id"]

    def test_over_tls_the_browser_is_to_stay_there(self, app):
        headers = TestClient(app, base_url="https://127.0.0.1").get("/api/v1/presets").headers
        assert headers["strict-transport-security"].startswith("max-age=")

    def test_the_page_has_a_nonce_of_its_own_each_time(self, settings, tmp_path):
        page = tmp_path / "dist"
        page.mkdir()
        (page / "index.html").write_text('<meta property="csp-nonce" nonce="PHYLON_CSP_NONCE">')
        app = create_app(dataclasses.replace(settings, frontend=page))
        client = TestClient(app, base_url="http://127.0.0.1")
        nonces = set()
        for path in ("/", "/experiments/3", "/index.html"):
            answer = client.get(path)
            [nonce] = re.findall(r'nonce="([\w-]{16,})"', answer.text)
            assert answer.headers["content-security-policy"] == content_policy(nonce)
            assert f"style-src 'self' 'nonce-{nonce}'; connect-src" in content_policy(nonce)
            nonces.add(nonce)
        assert len(nonces) == 3
        app.state.context.doorbell.close()
        app.state.context.database.dispose()


class TestApiDocs:
    def test_they_have_no_script_and_nothing_of_another_host(self, client):
        text = client.get("/api/docs").text
        assert "<script" not in text and " style=" not in text and "<style" not in text
        assert re.findall(r'(?:src|href)="(?!#|/api/|data:,)([^"]*)"', text) == []
        assert client.get("/api/docs.css").headers["content-type"].startswith("text/css")

    def test_they_describe_every_operation(self, client):
        text, document = client.get("/api/docs").text, client.get("/api/openapi.json").json()
        for path, operations in document["paths"].items():
            assert f"<code>{path}</code>" in text
            for operation in operations.values():
                assert f'id="{operation["operationId"]}"' in text
        anchors = set(re.findall(r'href="#(model-[\w-]+)"', text))
        assert anchors and all(f'id="{anchor}"' in text for anchor in anchors)


def chunks(total: int) -> Iterator[bytes]:
    """Sent without a Content-Length."""
    for _ in range(total // 2**16):
        yield b"x" * 2**16


class TestBodyLimits:
    def test_by_what_is_announced(self, server):
        answer = httpx.post(f"{server}/api/v1/specs/validate", json={"yaml": "x" * MEGABYTE})
        assert (answer.status_code, answer.json()["type"]) == (413, "/problems/body-too-large")
        assert "1 MB" in answer.json()["detail"] and answer.json()["remedy"]

    def test_by_what_arrives(self, server):
        headers = {"Content-Type": "application/json"}
        answer = httpx.post(f"{server}/api/v1/specs/validate", content=chunks(2 * MEGABYTE), headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (413, "/problems/body-too-large")

    def test_a_little_less_passes(self, server):
        answer = httpx.post(f"{server}/api/v1/specs/validate", json={"yaml": "x" * (MEGABYTE - 1000)})
        assert answer.status_code == 200

    def test_a_heartbeat_may_be_larger(self, client, worker, run_id):
        attempt = worker.take(run_id)
        line = {"line": 0, "wall": 0.0, "stream": "trainer", "text": "x" * 3 * MEGABYTE}
        assert worker.report(run_id, attempt, logs=[line]).status_code == 200
        line["text"] = "x" * 17 * MEGABYTE
        assert worker.report(run_id, attempt, logs=[line]).status_code == 413

    def test_files_are_not_limited(self, client, worker, run_id):
        attempt = worker.take(run_id)
        content = bytes(20 * MEGABYTE)
        answer = worker.upload(run_id, attempt, "big.npz", content, hashlib.sha256(content).hexdigest())
        assert answer.status_code == 200, answer.text


class TestRateLimits:
    def test_off_on_a_machine_of_ones_own(self, client):
        answers = {client.post("/api/v1/specs/validate", json={"yaml": ""}).status_code for _ in range(80)}
        assert answers == {200}

    def test_over_a_service_for_a_team(self, settings):
        app = create_app(dataclasses.replace(settings, public_url="https://127.0.0.1"))
        client = TestClient(app, base_url="https://127.0.0.1")
        answers = [client.post("/api/v1/specs/validate", json={"yaml": ""}) for _ in range(200)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused and refused[0].json()["type"] == "/problems/too-many-requests"
        assert int(refused[0].headers["retry-after"]) >= 1
        assert refused[0].headers["content-security-policy"] == POLICY
        assert client.get("/api/v1/presets").status_code == 401, "reading is not limited"
        other = client.post("/api/v1/specs/validate", json={"yaml": ""}, headers={"Authorization": "Bearer other"})
        assert other.status_code == 401, "another caller has a bucket of its own"
        assert client.post("/api/v1/worker/register", json={}).status_code == 401, "workers are not limited"
        app.state.context.doorbell.close()
        app.state.context.database.dispose()

    def test_tokens_come_back_with_time(self):
        limit = RateLimit("create", re.compile("/"), burst=2, per_minute=60.0, by_address=True)
        limiter = LimitRates(None, make_meters().refused, (limit,))  # pyright: ignore[reportArgumentType]
        assert [limiter._take(limit, "a", 0.0) for _ in range(3)] == [0.0, 0.0, 1.0]
        assert limiter._take(limit, "a", 0.25) == pytest.approx(0.75)
        assert limiter._take(limit, "a", 1.0) == 0.0
        assert [limiter._take(limit, "a", 100.0) for _ in range(3)] == [0.0, 0.0, 1.0], "no more than the burst"

    def test_sign_in_counts_by_address_whatever_credential_is_shown(self):
        assert next(limit for limit in LIMITS if limit.path.match("/api/v1/accounts/sign-in")).by_address


class TestTrustedProxies:
    def test_addresses_and_networks(self):
        given = {"PHYLON_TRUSTED_PROXIES": "10.0.0.7, 172.16.0.0/12"}
        assert from_environment(given).trusted_proxies == ("10.0.0.7", "172.16.0.0/12")
        assert from_environment({}).trusted_proxies == ()

    @pytest.mark.parametrize("value", ["*", "proxy", "10.0.0.7/99"])
    def test_nobody_trusts_everyone(self, value):
        with pytest.raises(SettingInvalid, match="PHYLON_TRUSTED_PROXIES"):
            from_environment({"PHYLON_TRUSTED_PROXIES": value})
