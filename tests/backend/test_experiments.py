"""Submission, listing, stopping and deleting of experiments."""

import json
from pathlib import Path

import pytest
import yaml
from sqlalchemy import func, select

from phylon.backend.models import Artifact, Attempt, Event, Experiment, Job, LogLine, MetricTick, Run, Span
from phylon.presets import list_presets
from phylon.spec import parse_spec, parse_yaml

SPEC_OF_VERSION_1 = json.loads((Path(__file__).parents[1] / "phylon/spec/versions/1.json").read_text())


def counts(context):
    tables = (Experiment, Job, Run, Attempt, Event, MetricTick, Span, LogLine, Artifact)
    with context.database.read() as session:
        return {table.__name__: session.scalar(select(func.count()).select_from(table)) for table in tables}


class TestCreate:
    def test_every_replicate_becomes_a_queued_run_with_its_own_seed(self, submit):
        experiment = submit(replicates=3, seed=2**31 - 2)
        assert experiment["status"] == "queued"
        assert [run["seed"] for run in experiment["runs"]] == [2**31 - 2, 2**31 - 1, 0]
        assert [run["replicate"] for run in experiment["runs"]] == [0, 1, 2]
        first = experiment["runs"][0]
        assert (first["status"], first["step"], first["total_steps"], first["last_seq"]) == ("queued", 0, 2000, -1)
        assert (first["attempts"], first["max_attempts"]) == (0, 5)

    def test_yaml_is_kept_as_it_was_written(self, client):
        preset = list_presets()[0]
        text = "# why we do this\n" + preset.yaml
        created = client.post("/api/v1/experiments", json={"yaml": text}).json()
        assert created["yaml"] == text
        assert created["name"] == preset.name
        assert client.get(f"/api/v1/experiments/{created['id']}").json() == created

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"surprise": 1}, "surprise"),
            ({"seed": "seven"}, "seed"),
            ({"environment": {"suite": "gymnasium", "id": "Pendulim-v1"}}, "environment.id"),
            ({"environment": {"suite": "gymnasium", "id": "os:system"}}, "environment.id"),
            ({"budget": {"env_steps": "many"}}, "budget.env_steps"),
        ],
    )
    def test_an_invalid_spec_is_refused_with_its_path_and_nothing_is_stored(self, client, context, spec, change, path):
        answer = client.post("/api/v1/experiments", json={"spec": spec | change})
        assert answer.status_code == 422
        body = answer.json()
        assert path in {problem["path"] for problem in body["problems"]}
        assert all(problem["message"] and problem["remedy"] for problem in body["problems"])
        assert set(counts(context).values()) == {0}

    def test_defaults_that_change_later_change_no_stored_run(self, client, worker, monkeypatch):
        """What a worker is given is what the spec meant on the day of its submission, down to the last number."""
        text = "environment: Pendulum-v1\nalgorithm: td3\npopulation: 4\nbudget: 100k\n"
        created = client.post("/api/v1/experiments", json={"yaml": text}).json()
        assert created["yaml"] == text
        assert created["spec"]["evaluation"]["interval"] == 1_000
        meant = parse_spec(created["spec"])
        monkeypatch.setattr("phylon.spec.lengths.EVALUATIONS", 7)
        monkeypatch.setattr("phylon.spec.lengths.SEGMENT_STEPS", 99)
        monkeypatch.setattr("phylon.spec.lengths.TRANSITIONS", 12_345)
        assert parse_yaml(text) != meant, "the defaults have changed"
        claim = worker.claim(created["runs"][0]["id"]).json()
        assert claim["payload"]["spec"] == created["spec"]
        assert parse_spec(claim["payload"]["spec"]) == meant
        assert client.get(f"/api/v1/experiments/{created['id']}").json()["spec"] == created["spec"]

    def test_plain_data_is_kept_as_it_was_written(self, client):
        spec = {"environment": "Pendulum-v1", "algorithm": "td3", "budget": "20k"}
        created = client.post("/api/v1/experiments", json={"spec": spec}).json()
        assert yaml.safe_load(created["yaml"]) == spec
        assert created["spec"]["budget"]["env_steps"] == 20_000

    def test_a_stored_spec_of_version_1_is_read_as_version_2(self, submit, context, client):
        created = submit()
        with context.database.write() as session:
            stored = session.get_one(Experiment, created["id"])
            stored.spec = SPEC_OF_VERSION_1
        assert client.get(f"/api/v1/experiments/{created['id']}").json()["spec"]["version"] == 2

    def test_broken_yaml_is_refused(self, client, context):
        answer = client.post("/api/v1/experiments", json={"yaml": "name: [unclosed"})
        assert answer.status_code == 422
        assert "line" in answer.json()["problems"][0]["message"]
        assert counts(context)["Experiment"] == 0

    @pytest.mark.parametrize("body", [{}, {"spec": {}, "yaml": ""}, {"spec": 3}, [], {"yml": "x"}])
    def test_a_body_of_another_shape_is_refused(self, client, context, body):
        answer = client.post("/api/v1/experiments", json=body)
        assert answer.status_code == 422
        assert answer.json()["problems"]
        assert counts(context)["Experiment"] == 0


class TestList:
    def test_newest_first_with_pages(self, client, submit):
        for name in ("one", "two", "three"):
            submit(name=name)
        page = client.get("/api/v1/experiments", params={"limit": 2}).json()
        assert ([item["name"] for item in page["items"]], page["total"]) == (["three", "two"], 3)
        rest = client.get("/api/v1/experiments", params={"limit": 2, "after": page["next"]}).json()
        assert ([item["name"] for item in rest["items"]], rest["total"], rest["next"]) == (["one"], 3, None)

    def test_a_page_shifts_neither_with_what_comes_nor_with_what_goes(self, client, submit):
        created = [submit(name=f"number-{number}") for number in range(4)]
        page = client.get("/api/v1/experiments", params={"limit": 2}).json()
        submit(name="newer")
        client.post(f"/api/v1/experiments/{created[2]['id']}/stop")
        assert client.delete(f"/api/v1/experiments/{created[2]['id']}").status_code == 204
        rest = client.get("/api/v1/experiments", params={"limit": 2, "after": page["next"]}).json()
        assert [item["name"] for item in rest["items"]] == ["number-1", "number-0"]

    def test_search_reads_names_literally_and_without_case(self, client, submit):
        submit(name="Walker_1")
        submit(name="Walkerx1")
        found = client.get("/api/v1/experiments", params={"search": "walker_1"}).json()
        assert [item["name"] for item in found["items"]] == ["Walker_1"]
        by_environment = client.get("/api/v1/experiments", params={"search": "pendulum"}).json()
        assert by_environment["total"] == 2

    @pytest.mark.parametrize("query", ["limit=0", "after=%21", "after=LTE", "after=x" + "A" * 99, "status=happy"])
    def test_questions_that_make_no_sense(self, client, query):
        assert client.get(f"/api/v1/experiments?{query}").status_code == 422

    def test_a_character_that_no_database_holds_finds_nothing_and_breaks_nothing(self, client):
        assert client.get("/api/v1/experiments", params={"search": "a\0b"}).status_code in (200, 422)

    @pytest.mark.parametrize("id", ["0", "-1", str(2**70), "x"])
    def test_numbers_that_are_no_ids(self, client, id):
        for path in (f"experiments/{id}", f"runs/{id}", f"runs/{id}/lineage", f"artifacts/{id}/content"):
            assert client.get(f"/api/v1/{path}").status_code == 422

    def test_filter_by_status(self, client, submit, worker):
        running, queued = submit(name="a", replicates=2), submit(name="b")
        stopped = submit(name="c")
        worker.take(running["runs"][1]["id"])
        client.post(f"/api/v1/experiments/{stopped['id']}/stop")
        for status, expected in {"running": running, "queued": queued, "stopped": stopped}.items():
            found = client.get("/api/v1/experiments", params={"status": status}).json()
            assert [item["id"] for item in found["items"]] == [expected["id"]]
            assert found["items"][0]["status"] == status
        assert client.get("/api/v1/experiments", params={"status": "failed"}).json() == {
            "items": [],
            "total": 0,
            "next": None,
        }

    def test_summary_of_a_running_experiment(self, client, submit, worker):
        experiment = submit(replicates=2)
        run_id = experiment["runs"][0]["id"]
        attempt = worker.take(run_id)
        events = [
            {"kind": "metrics", "seq": seq, "step": 10 * seq, "wall": float(seq), "frames": {
                "evaluation/return": [float(seq), "NaN", -5.0, 1.0], "speed/env_steps_per_second": [100.0 + seq],
            }}
            for seq in range(100)
        ]  # fmt: skip
        worker.report(run_id, attempt, events)
        [item] = client.get("/api/v1/experiments").json()["items"]
        assert item["best_return"] == item["last_return"] == 99.0
        assert item["env_steps_per_second"] == 199.0
        assert (item["step"], item["total_steps"], item["replicates"]) == (495, 2000, 2)
        assert len(item["sparkline"]) <= 40
        assert item["sparkline"][-1] == 99.0
        assert item["sparkline"] == sorted(item["sparkline"])
        assert (item["algorithm"], item["environment"], item["method"]) == ("td3", "Pendulum-v1", "pbt")
        assert item["population_size"] == 4


class TestStop:
    def test_waiting_runs_stop_at_once_and_running_ones_are_asked(self, client, submit, worker):
        experiment = submit(replicates=2)
        running, waiting = (run["id"] for run in experiment["runs"])
        attempt = worker.take(running)
        stopped = client.post(f"/api/v1/experiments/{experiment['id']}/stop").json()
        assert [run["status"] for run in stopped["runs"]] == ["stopping", "stopped"]
        assert stopped["status"] == "running"
        assert client.get(f"/api/v1/runs/{waiting}").json()["finished_at"] is not None
        assert worker.report(running, attempt).json()["command"] == "stop"

    def test_nothing_to_stop(self, client, submit):
        experiment = submit()
        client.post(f"/api/v1/experiments/{experiment['id']}/stop")
        again = client.post(f"/api/v1/experiments/{experiment['id']}/stop")
        assert again.status_code == 409
        assert str(experiment["id"]) in again.json()["detail"]
        assert again.json()["type"] == "/problems/action-refused"

    def test_unknown(self, client):
        answer = client.post("/api/v1/experiments/77/stop")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json() == {
            "type": "/problems/not-found",
            "title": "There is no such thing.",
            "status": 404,
            "detail": "There is no experiment 77.",
            "remedy": "Look up the number of the experiment in its list.",
            "problems": [],
        }


class TestDelete:
    def test_everything_goes_and_numbers_are_not_given_again(self, client, context, settings, submit, worker, sweep):
        experiment = submit()
        run_id = experiment["runs"][0]["id"]
        attempt = worker.take(run_id)
        worker.upload(
            run_id, attempt, "000001.npz", b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
        worker.report(
            run_id,
            attempt,
            [
                {"kind": "metrics", "seq": 0, "step": 1, "wall": 0.1, "frames": {"a": [1.0]}},
                {"kind": "stopped", "seq": 1, "step": 1, "wall": 0.2},
            ],
            [{"line": 0, "wall": 0.0, "stream": "trainer", "text": "hello"}],
        )
        folder = Path(settings.artifacts) / str(worker.job_id(run_id))
        assert folder.is_dir()
        assert client.delete(f"/api/v1/experiments/{experiment['id']}").status_code == 204
        sweep()
        assert set(counts(context).values()) == {0}
        assert not folder.exists()
        assert client.get(f"/api/v1/runs/{run_id}").status_code == 404
        assert submit()["runs"][0]["id"] > run_id

    def test_not_while_active(self, client, submit):
        experiment = submit()
        answer = client.delete(f"/api/v1/experiments/{experiment['id']}")
        assert answer.status_code == 409
        assert client.get(f"/api/v1/experiments/{experiment['id']}").status_code == 200


def test_the_derived_status_is_the_first_that_any_run_accounts_for():
    from phylon.backend.experiments.status import derive

    order = ["running", "stopping", "queued", "dispatched", "failed", "stopped", "finished"]
    meaning = {"stopping": "running", "dispatched": "queued"}
    for position, status in enumerate(order):
        assert derive(order[position:]) == meaning.get(status, status)
