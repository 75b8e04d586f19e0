"""The service as a whole: what it lets in, what it says about itself, and what it never loads."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from starlette.testclient import TestClient

from phylon.backend.app import create_app
from phylon.backend.openapi import document
from phylon.backend.serve import is_loopback
from phylon.backend.settings import SettingInvalid, Settings, from_environment
from phylon.contract.protocol import OUTCOMES
from phylon.contract.vocabulary import ActiveStatus, ExperimentStatus, JobStatus, MetricName, Phase, WorkerState
from phylon.forecast.memory import population_memory
from phylon.presets import list_presets
from phylon.spec import parse_yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture
def serve(tmp_path, redis_server):
    """Makes a service with this database and a user interface of two files."""
    page = tmp_path / "dist"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<title>Phylon</title>")
    (page / "assets" / "index-3fa9.js").write_text("start()")
    (tmp_path / "secret.txt").write_text("not yours")
    apps = []

    def serve(database):
        settings = Settings(
            database_url=f"sqlite:///{database}",
            artifacts=tmp_path / "artifacts",
            redis_url=redis_server.url,
            frontend=page,
        )
        apps.append(create_app(settings))
        return TestClient(apps[-1], base_url="http://localhost:8787", raise_server_exceptions=False)

    yield serve
    for app in apps:
        app.state.context.doorbell.close()
        app.state.context.database.dispose()


@pytest.fixture
def bare(serve, sqlite_template, tmp_path):
    """Nothing is stored yet."""
    return serve(shutil.copy(sqlite_template, tmp_path / "bare.db"))


@pytest.fixture
def unmigrated(serve, tmp_path):
    return serve(tmp_path / "empty.db")


class TestBrowserGuard:
    @pytest.mark.parametrize("host", ["127.0.0.1:8787", "localhost", "localhost:5173", "[::1]:8787", "LOCALHOST"])
    def test_loopback_names(self, bare, host):
        assert bare.get("/api/v1/presets", headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.2:8787", "", "[", "a@b:c:d"])
    def test_any_other_name_is_refused(self, bare, host):
        answer = bare.get("/api/v1/presets", headers={"Host": host})
        assert answer.status_code == 400
        assert "127.0.0.1" in answer.json()["remedy"]

    @pytest.mark.parametrize(
        "origin",
        ["https://evil.example", "null", "http://localhost:9999", "http://127.0.0.1:8787", "http://localhost.evil"],
    )
    def test_a_foreign_page_changes_nothing(self, bare, origin):
        answer = bare.post("/api/v1/specs/validate", json={"yaml": ""}, headers={"Origin": origin})
        assert answer.status_code == 403
        assert origin in answer.json()["detail"]

    def test_our_own_page_and_scripts_may(self, bare):
        for headers in ({}, {"Origin": "http://localhost:8787"}):
            assert bare.post("/api/v1/specs/validate", json={"yaml": ""}, headers=headers).status_code == 200

    def test_answers_carry_no_permission_for_foreign_pages(self, bare):
        answer = bare.get("/api/v1/presets", headers={"Origin": "https://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]


class TestUserInterface:
    @pytest.mark.parametrize("path", ["/", "/experiments/7", "/index.html"])
    def test_every_place_is_the_one_page_and_is_never_stale(self, bare, path):
        answer = bare.get(path)
        assert (answer.status_code, answer.text) == (200, "<title>Phylon</title>")
        assert answer.headers["cache-control"] == "no-cache"

    def test_hashed_files_are_kept_for_ever(self, bare):
        answer = bare.get("/assets/index-3fa9.js")
        assert answer.text == "start()"
        assert "immutable" in answer.headers["cache-control"]

    @pytest.mark.parametrize(
        "path",
        ["/assets/gone.js", "/favicon.ico", "/api/v1/nothing", "/..%2fsecret.txt", "/assets/..%2f..%2fsecret.txt"],
    )
    def test_what_is_missing_is_missing(self, bare, path):
        answer = bare.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert set(answer.json()) == {"type", "title", "status", "detail", "remedy", "problems"}
        assert (answer.json()["type"], answer.json()["title"]) == ("about:blank", "Not Found")

    def test_a_service_without_one_says_how_to_build_it(self, client):
        answer = client.get("/")
        assert answer.status_code == 503
        assert answer.headers["content-type"].startswith("text/html") and "make ui" in answer.text
        assert client.get("/elsewhere").status_code == 404
        assert client.get("/api/v1/presets").status_code == 200


class TestHealth:
    def test_all_is_well(self, client):
        answer = client.get("/api/v1/health")
        assert answer.status_code == 200
        found = answer.json()
        assert found.pop("storage_free_bytes") > 0
        assert found == {"status": "ok", "database": "ok", "redis": "ok", "storage": "ok", "version": "0.1.0"}

    def test_the_command_for_containers(self, server):
        command = [sys.executable, "-m", "phylon.backend.health"]
        for url, code in ((server, 0), ("http://127.0.0.1:1", 1)):
            environment = os.environ | {"PHYLON_API_URL": url}
            run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
            assert run.returncode == code, run.stderr

    def test_a_database_without_tables_is_not_there(self, unmigrated):
        answer = unmigrated.get("/api/v1/health")
        assert (answer.status_code, answer.json()["database"]) == (503, "unavailable")

    def test_other_requests_answer_503_too(self, unmigrated):
        answer = unmigrated.get("/api/v1/experiments")
        assert answer.status_code == 503
        assert answer.json()["remedy"]


class TestLanguage:
    def test_presets(self, bare):
        presets = bare.get("/api/v1/presets").json()["items"]
        assert [preset["name"] for preset in presets] == [preset.name for preset in list_presets()]
        assert presets[0]["smoke"] is True

    def test_catalogue(self, bare):
        found = bare.get("/api/v1/catalogue", params={"suite": "gymnasium", "search": "pendulum"}).json()["items"]
        assert "Pendulum-v1" in {entry["id"] for entry in found}
        assert {entry["suite"] for entry in found} == {"gymnasium"}
        assert bare.get("/api/v1/catalogue", params={"suite": "nonsense"}).json() == {
            "items": [],
            "total": 0,
            "next": None,
        }

    def test_the_catalogue_has_pages(self, bare):
        whole = bare.get("/api/v1/catalogue", params={"suite": "gymnasium"}).json()
        seen, after = [], None
        while after is not None or not seen:
            query = {"suite": "gymnasium", "limit": 10} | ({"after": after} if after else {})
            page = bare.get("/api/v1/catalogue", params=query).json()
            assert page["total"] == whole["total"] > 20
            seen, after = seen + page["items"], page["next"]
        assert seen == whole["items"]

    def test_a_valid_spec_comes_with_a_forecast(self, bare):
        text = next(preset.yaml for preset in list_presets() if preset.name == "td3-pbt-pendulum-smoke")
        report = bare.post("/api/v1/specs/validate", json={"yaml": text}).json()
        assert (report["valid"], report["problems"]) == (True, [])
        assert report["spec"]["population"]["size"] == 8
        assert yaml.safe_load(report["resolved"]) == report["spec"]
        assert [note["path"] for note in report["notes"]] == ["environment.suite"]
        state = population_memory(parse_yaml(text)).state
        assert report["forecast"] == {
            "experiments": None,
            "members": 8,
            "runs": 1,
            "total_env_steps": 96_000,
            "replay_bytes": 8 * 20_000 * 4 * (3 + 3 + 1 + 1 + 1),
            "checkpoint_bytes": 8 * state + 8 * 20_000 * 4 * (3 + 3 + 1 + 1 + 1),
            "checkpoints_kept": 4,  # two last, the best, and one on its way
            "disk_bytes": 4 * report["forecast"]["checkpoint_bytes"],
        }

    def test_the_schema_of_specs_has_descriptions_and_every_short_form(self, bare):
        answer = bare.get("/api/v1/specs/schema").json()
        definition, parts = answer["definition"], answer["definition"]["$defs"]
        assert {"td3", "sac"} <= set(definition["properties"]["algorithm"]["discriminator"]["mapping"])
        assert parts["TD3Spec"]["properties"]["policy_delay"]["description"] == "Critic steps for each policy step."
        sections = {path.split(".")[0] for path in answer["short_forms"]}
        assert sections <= set(definition["properties"])
        assert answer["short_forms"]["population"] == "size"

    def test_the_forecast_counts_each_frame_once(self, bare):
        text = next(preset.yaml for preset in list_presets() if preset.name == "dqn-pong-smoke")
        report = bare.post("/api/v1/specs/validate", json={"yaml": text}).json()
        frames, numbers = 900 * 84 * 84, 800 * (2 * 4 * 8 + 4 * 3)
        assert report["forecast"]["replay_bytes"] == 4 * (frames + numbers)

    @pytest.mark.parametrize("text", ["", "a: [", "version: 1", "- 1", "&a [*a]", "version: .nan"])
    def test_an_invalid_spec_is_explained(self, bare, text):
        answer = bare.post("/api/v1/specs/validate", json={"yaml": text})
        assert answer.status_code == 200
        report = answer.json()
        assert (report["valid"], report["spec"], report["forecast"]) == (False, None, None)
        assert (report["resolved"], report["notes"]) == (None, [])
        assert all(problem["message"] and problem["remedy"] for problem in report["problems"])
        assert report["problems"]


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    app = create_app(Settings(database_url=f"sqlite:///{folder / 'x.db'}", artifacts=folder))
    schema = document(app)
    app.state.context.database.dispose()
    return schema


class TestOpenAPI:
    def operations(self, schema):
        return [operation for path in schema["paths"].values() for operation in path.values()]

    def test_every_reference_leads_somewhere(self, schema):
        text = json.dumps(schema)
        names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
        assert names <= set(schema["components"]["schemas"])

    def test_operation_ids_are_plain_and_unique(self, schema):
        ids = [operation["operationId"] for operation in self.operations(schema)]
        assert len(ids) == len(set(ids))
        assert all(id.isidentifier() and id.islower() for id in ids)
        assert all(len(operation["tags"]) == 1 for operation in self.operations(schema))

    def test_answers_have_no_optional_fields(self, schema):
        """A default in an answer would make an always-present field optional in TypeScript."""
        components = schema["components"]["schemas"].items()
        answers = {name: one for name, one in components if one.get("additionalProperties") is not False}
        assert {"Run", "Experiment", "StoredStudy"} <= set(answers)
        for name, component in answers.items():
            assert set(component.get("required", [])) == set(component.get("properties", {})), name

    def test_what_the_stream_carries_is_typed(self, schema):
        components = schema["components"]["schemas"]
        content = schema["paths"]["/api/v1/runs/{id}/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]
        assert content["schema"] == {"$ref": "#/components/schemas/StreamMessage"}
        parts = [part["$ref"].rsplit("/", 1)[-1] for part in components["StreamMessage"]["anyOf"]]
        assert parts == ["RunEvent", "Rewind", "Run"]
        kinds = {"started", "interrupted", "metrics", "lineage", "diverged", "checkpoint", "video", "policy", *OUTCOMES}
        assert set(components["RunEvent"]["discriminator"]["mapping"]) == kinds
        assert components["Metrics"]["properties"]["frames"]["additionalProperties"]["items"] == {
            "$ref": "#/components/schemas/Real"
        }

    def test_errors_are_typed(self, schema):
        for operation in self.operations(schema):
            for status, response in operation["responses"].items():
                if status.startswith("4"):
                    reference = response["content"]["application/problem+json"]["schema"]["$ref"]
                    assert reference.endswith("/ProblemDocument"), operation["operationId"]

    def test_vocabularies_are_part_of_it(self, schema):
        components = schema["components"]["schemas"]
        for words in (ActiveStatus, ExperimentStatus, JobStatus, MetricName, Phase, WorkerState):
            assert components[words.__name__]["enum"] == [word.value for word in words]
        assert set(components["EventKind"]["enum"]) == set(components["RunEvent"]["discriminator"]["mapping"])
        assert "founder" in components["Operator"]["enum"]

    def test_lists_have_one_shape(self, schema):
        lists = [
            path["get"]
            for path in schema["paths"].values()
            if path.get("get", {}).get("operationId", "").startswith("list_")
        ]
        assert lists
        for operation in lists:
            reference = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
            page = schema["components"]["schemas"][reference.rsplit("/", 1)[-1]]
            assert list(page["properties"]) == ["items", "total", "next"], operation["operationId"]
            names = {parameter["name"] for parameter in operation["parameters"]}
            assert {"limit", "after"} <= names, operation["operationId"]
            # A table that shows any of thousands of rows jumps to them; whoever reads a list to its end takes cursors.
            assert ("offset" in names) == (operation["operationId"] == "list_experiments"), operation["operationId"]
        assert not [
            operation["operationId"]
            for operation in self.operations(schema)
            for media in operation["responses"].get("200", {}).get("content", {}).values()
            if media.get("schema", {}).get("type") == "array"
        ]

    def test_it_can_be_printed(self, schema):
        command = [sys.executable, "-m", "phylon.backend.openapi"]
        printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert json.loads(printed.stdout) == json.loads(json.dumps(schema))
        assert printed.stdout == json.dumps(schema, indent=2, sort_keys=True) + "\n"


def test_the_api_process_never_loads_jax():
    code = (
        "import sys, backend.app, backend.serve, backend.migrate;"
        "heavy = {'jax', 'jaxlib', 'flax', 'optax', 'gymnasium', 'mujoco', 'worker', 'torch'} & set(sys.modules);"
        "sys.exit(f'loaded {sorted(heavy)}' if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


class TestServe:
    @pytest.mark.parametrize(
        ("host", "expected"),
        [
            ("127.0.0.1", True),
            ("127.3.2.1", True),
            ("::1", True),
            ("localhost", True),
            ("0.0.0.0", False),
            ("::", False),
            ("192.168.1.4", False),
            ("localhost.evil.example", False),
            ("", False),
        ],
    )
    def test_loopback(self, host, expected):
        assert is_loopback(host) is expected

    def test_it_refuses_to_listen_to_the_network(self):
        command = [sys.executable, "-m", "phylon.backend.serve", "--host", "0.0.0.0"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert run.returncode == 2
        assert "Refusing to listen on 0.0.0.0" in run.stderr
        assert "--host 127.0.0.1" in run.stderr

    def test_a_bad_setting_is_named(self):
        environment = os.environ | {"PHYLON_LEASE_SECONDS": "soon"}
        command = [sys.executable, "-m", "phylon.backend.serve"]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env=environment)
        assert run.returncode == 2
        assert "PHYLON_LEASE_SECONDS='soon'" in run.stderr


class TestSettings:
    def test_everything_lies_in_the_home_unless_said_otherwise(self, tmp_path):
        settings = from_environment({"PHYLON_HOME": str(tmp_path)})
        assert settings.database_url == f"sqlite:///{tmp_path}/phylon.db"
        assert settings.artifacts == tmp_path / "artifacts"
        assert (settings.public_url, settings.lease_seconds, settings.max_attempts) == (None, 15.0, 5)

    @pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
    def test_a_lease_is_a_time(self, value):
        with pytest.raises(SettingInvalid, match="PHYLON_LEASE_SECONDS"):
            from_environment({"PHYLON_LEASE_SECONDS": value})

    def test_secrets_are_not_printed(self):
        settings = from_environment({"PHYLON_REDIS_URL": "redis://:hush@127.0.0.1/0"})
        assert "hush" not in repr(settings)


def test_without_a_credential_no_worker_is_let_in(bare):
    answer = bare.post("/api/v1/worker/1/beat", headers={"Authorization": "Bearer "})
    assert answer.status_code == 401
    assert "phylon worker --enrol" in answer.json()["remedy"]
