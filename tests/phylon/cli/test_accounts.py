"""login, tokens, people, projects and workers against a real service with accounts, from the first admin on."""

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from phylon import Client, credentials
from phylon.errors import ApiError

from ..conftest import Service

EMAIL, PASSWORD = "ada@example.org", "correct horse battery staple"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, redis_socket: Path) -> Iterator[Service]:
    """With accounts, and an admin who came in by the printed link."""
    running = Service(tmp_path_factory.mktemp("public"), redis_socket, with_accounts=True)
    printed = (running.home / "service.log").read_text()
    [code] = re.findall(re.escape(f"{running.url}/first-admin#code=") + r"([\w-]+)", printed)
    body = {"code": code, "email": EMAIL, "name": "Ada", "password": PASSWORD}
    made = httpx.post(f"{running.url}/api/v1/accounts/first-admin", json=body)
    assert made.status_code == 201, made.text
    yield running
    running.stop()


@pytest.fixture
def signed_in(phylon, public, monkeypatch, tmp_path):
    """`phylon`, signed in as an admin; it names no service."""
    monkeypatch.delenv("PHYLON_API_URL")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    scopes = [word for scope in ("read", "write", "admin") for word in ("--scope", scope)]
    answer = phylon("login", public.url, *scopes, input=f"{EMAIL}\n{PASSWORD}\n")
    assert answer.exit_code == 0, answer.output
    assert "signed in as Ada" in answer.output and PASSWORD not in answer.output
    return phylon


def test_the_token_is_kept_for_its_owner_and_its_service_alone(signed_in, public, tmp_path):
    file = tmp_path / "config" / "phylon" / "credentials.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    token = json.loads(file.read_text())["tokens"][public.url]
    assert token.startswith("phylon_")
    assert credentials.find("http://127.0.0.1:9").token is None
    with Client() as client:
        assert (client.url, client.me().email) == (public.url, EMAIL)
    out = signed_in("logout")
    assert out.exit_code == 0 and "revoked" in out.output
    assert token not in file.read_text()
    with Client(public.url, token=token) as client, pytest.raises(ApiError, match="revoked"):
        client.me()
    assert "keeps no token" in signed_in("logout", "--url", public.url).output
    with Client(public.url) as client, pytest.raises(ApiError, match="Nobody is signed in"):
        client.experiments()


def test_the_environment_wins(signed_in, public, monkeypatch):
    monkeypatch.setenv("PHYLON_TOKEN", "phylon_wrong")
    answer = signed_in("list")
    assert answer.exit_code == 1 and "PHYLON_TOKEN" in " ".join(answer.output.split())


def test_tokens(signed_in, public):
    made = signed_in("tokens", "create", "nightly", "--scope", "read")
    secret = made.output.split()[-1]
    with Client(public.url, token=secret) as client:
        assert client.experiments() == []
        with pytest.raises(ApiError, match="scope `write`"):
            client.create_project("x")
    [number] = [token["id"] for token in json.loads(signed_in("tokens", "--json").output) if token["name"] == "nightly"]
    assert signed_in("tokens", "revoke", str(number)).exit_code == 0
    with Client(public.url, token=secret) as client, pytest.raises(ApiError, match="revoked"):
        client.experiments()
    assert signed_in("tokens", "revoke").exit_code == 2


def test_a_wrong_password(phylon, public):
    answer = phylon("login", public.url, "--email", "nobody@example.org", input="wrong wrong wrong\n")
    assert answer.exit_code == 1 and "do not belong together" in answer.output


def test_people_and_projects(signed_in):
    assert signed_in("projects", "create", "robots").exit_code == 0
    invited = signed_in("people", "invite", "bob@example.org", "--project", "robots")
    assert "/invitation#code=" in invited.output
    assert EMAIL in signed_in("people").output
    given = signed_in("projects", "member", "robots", "--email", EMAIL, "--role", "admin")
    assert "Ada is admin of robots" in given.output
    submitted = signed_in("submit", "td3-pbt-pendulum-smoke", "--project", "robots", "--json")
    assert json.loads(submitted.stdout)["project"]["name"] == "robots"
    assert signed_in("submit", "td3-pbt-pendulum-smoke", "--project", "none").exit_code == 2


def test_the_audit_log(signed_in, tmp_path):
    listed = signed_in("audit", "--action", "sign_in", "--limit", "3")
    assert listed.exit_code == 0 and "sign_in.ok" in listed.output and "Ada" in listed.output
    records = json.loads(signed_in("audit", "--actor", "ada", "--json").output)
    file = tmp_path / "audit.ndjson"
    said = signed_in("audit", "--actor", "ada", "--export", str(file)).output
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()][-1] == min(r["id"] for r in records)
    assert str(len(file.read_text().splitlines())) in said
    assert json.loads(signed_in("audit", "--since", "2999-01-01", "--json").output) == []


def test_a_new_password_by_a_link(signed_in):
    [number] = [person["id"] for person in json.loads(signed_in("people", "--json").output)]
    made = signed_in("people", "reset", str(number))
    assert "/reset-password#code=" in made.output and EMAIL in made.output


def test_workers_get_codes(signed_in, public):
    made = signed_in("workers", "code", "--name", "box", "--labels", "a100, night")
    [code] = re.findall(r"phylon worker --enrol ([\w-]{43})", made.output)
    described = {"device": "cpu", "device_name": "x", "device_count": 1, "memory_bytes": 1, "versions": {}}
    registration = {"name": "other", "suites": [], **described}
    url = f"{public.url}/api/v1/worker"
    enrolled = httpx.post(f"{url}/enrol", json={"code": code, "registration": registration}).json()
    headers = {"Authorization": f"Bearer {enrolled['credential']}"}
    assert httpx.post(f"{url}/register", json=registration, headers=headers).is_success
    with Client() as client:
        [worker] = client.workers()
    assert (worker.name, worker.labels, worker.enrolled_by) == ("box", ["a100", "night"], "Ada")
    assert signed_in("workers", "revoke", "99").exit_code == 2
    assert signed_in("workers").exit_code == 0


def test_no_secret_is_in_the_log(signed_in, public):
    stored = credentials.find(public.url).token
    log = (public.home / "service.log").read_text()
    assert stored and stored not in log and PASSWORD not in log
