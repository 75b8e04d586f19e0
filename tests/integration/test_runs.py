"""One run after another through the whole platform: what is stored is complete, and bad input is refused."""

import base64
import contextlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
import redis

from phylon.contract.protocol import EXECUTE_JOB, queue_name
from phylon.redis_url import client_url
from phylon.spec import SpecInvalid

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def platform(run_platform):
    with run_platform() as platform:
        yield platform


def test_a_run_finishes_and_everything_is_stored(platform, make_spec, read_history, tmp_path):
    run_id = platform.submit(make_spec())
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step, run.attempts, run.error) == ("finished", 2000, 1, None), run.error
    assert run.strategy == "vectorized"

    history = read_history(platform, run_id)
    assert history.outcome["kind"] == "finished"
    evaluation_steps, evaluation_values = history.frames["evaluation/return"]
    assert evaluation_steps == list(range(200, 2001, 200))
    assert {len(values) for values in evaluation_values} == {4}
    training_steps, _ = history.frames["training/critic_loss"]
    assert training_steps == list(range(min(training_steps), 2001, 100))
    assert {"hyperparams/policy_learning_rate", "hyperparams/discount"} <= history.frames.keys()

    [end], [finals] = history.frames["final/return"]
    assert end == 2000 and len(finals) == 4
    assert run.final is not None and run.final.mean == pytest.approx(finals[run.final.member], rel=1e-6)
    assert history.outcome["final"]["mean"] == run.final.mean
    [row] = [row for row in platform.client.experiments() if row.id == run.experiment_id]
    assert row.final_return == run.final.mean

    founders = [span for span in history.lineage if span["parent"] is None]
    children = [span for span in history.lineage if span["parent"] is not None]
    assert [span["slot"] for span in founders] == [0, 1, 2, 3]
    assert [span["start_step"] for span in children] == [400, 800, 1200, 1600]
    ids = {span["id"] for span in history.lineage}
    assert len(ids) == len(history.lineage)
    assert all(child["parent"] in ids for child in children)

    checkpoint = max(platform.client.artifacts(run_id), key=lambda artifact: artifact.step)
    assert checkpoint.step == 2000
    with np.load(platform.client.download(checkpoint, tmp_path), allow_pickle=False) as arrays:
        assert len(arrays.files) > 0

    lines = list(platform.client.logs(run_id))
    assert [line.line for line in lines] == list(range(len(lines)))
    assert {line.stream for line in lines} == {"supervisor", "trainer"}


def test_large_files_of_an_ended_run_are_removed_here_but_the_spool_stays(platform, make_spec, tmp_path):
    videos = {"interval": 400, "members": [1, 3], "steps": 20}
    run_id = platform.submit(make_spec(budget__env_steps=400, videos=videos))
    run = platform.wait_until_ended(run_id)
    run_dir = platform.runs / str(run_id)
    platform.wait(lambda: not {".npz", ".mp4"} & {path.suffix for path in run_dir.rglob("*")}, "the local files to go")
    assert len((run_dir / "events.jsonl").read_bytes().splitlines()) == run.last_seq + 1
    stored = platform.client.artifacts(run_id)
    assert any(artifact.kind == "checkpoint" for artifact in stored)
    films = [artifact for artifact in stored if artifact.kind == "video"]
    assert [(film.step, film.video.member) for film in films] == [(400, 1), (400, 3)]
    assert [(film.video.episode_steps, film.video.ended) for film in films] == [(20, False)] * 2
    assert platform.client.download(films[0], tmp_path).read_bytes()[4:8] == b"ftyp"


def test_a_run_can_be_stopped(platform, make_spec):
    run_id = platform.submit(make_spec(budget__env_steps=1_000_000))
    platform.wait_for_run(run_id, lambda run: run.step >= 400, "its first steps")
    platform.client.stop_run(run_id)
    run = platform.wait_until_ended(run_id)
    assert run.status == "stopped"
    assert 400 <= run.step < 1_000_000
    assert max(artifact.step for artifact in platform.client.artifacts(run_id)) == run.step
    platform.wait(platform.idle_workers, "the worker to be free again")


@pytest.mark.parametrize(
    ("change", "path", "value"),
    [
        ({"algorithm__dicsount": 0.9}, "algorithm.dicsount", 0.9),
        ({"population__size": "four"}, "population.size", "four"),
        ({"population__size": 1}, "population.size", 1),
        ({"environment__id": "Pendlum-v1"}, "environment.id", "Pendlum-v1"),
    ],
    ids=["unknown field", "wrong type", "impossible combination", "unknown environment"],
)
def test_an_invalid_spec_is_refused_and_nothing_is_stored(platform, make_spec, change, path, value):
    before = len(platform.client.experiments())
    with pytest.raises(SpecInvalid) as refusal:
        platform.client.submit(make_spec(**change))
    [problem] = refusal.value.problems
    assert (problem["path"], problem["value"]) == (path, value)
    assert problem["message"]
    assert problem["remedy"]
    assert len(platform.client.experiments()) == before


def test_a_diverging_run_fails_with_its_culprit_and_is_not_retried(platform, make_spec):
    spec = make_spec(algorithm__critic_learning_rate={"choice": [1e30, 2e30]}, evaluation__interval=400)
    run_id = platform.submit(spec)
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.attempts) == ("failed", 1)
    assert run.error is not None
    assert run.error.member in range(4)
    assert run.error.hyperparams is not None
    assert run.error.hyperparams["critic_learning_rate"] == pytest.approx(1e30, rel=2)
    assert f"member {run.error.member}" in run.error.message
    assert str(run.step) in run.error.message
    assert run.error.remedy
    assert platform.client.experiment(run.experiment_id).status == "failed"


def test_messages_are_json_with_a_run_id_and_nothing_else(platform, make_spec):
    # A worker that just died still counts as idle, so a message is sent to it and stays in the queue.
    platform.worker.kill()
    run_id = platform.submit(make_spec(budget__env_steps=400))
    with redis.from_url(client_url(platform.redis_url)) as connection:
        [worker] = platform.client.workers()
        queue = queue_name(worker.id)
        platform.wait(lambda: connection.llen(queue) > 0, "a message in the queue")
        [raw] = connection.lrange(queue, 0, -1)
    message = json.loads(raw)
    assert message["content-type"] == "application/json"
    assert message["headers"]["task"] == EXECUTE_JOB
    arguments, keywords, embedded = json.loads(base64.b64decode(message["body"]))
    assert (arguments, keywords) == ([run_id], {})
    assert not any(embedded.values())

    platform.start_worker()
    assert platform.wait_until_ended(run_id).status == "finished"


def test_the_trainer_holds_no_secret_and_no_log_shows_one(platform, make_spec):
    run_id = platform.submit(make_spec(budget__env_steps=1_000_000))
    platform.wait_for_run(run_id, lambda run: run.last_seq >= 0, "its first event")
    environment = psutil.Process(platform.trainer_pid()).environ()
    assert "PHYLON_COMPILE_CACHE" in environment
    assert platform.token not in environment.values()
    assert not {"PHYLON_ENROLMENT_CODE", "PHYLON_REDIS_URL", "PHYLON_DATABASE_URL"} & environment.keys()
    platform.client.stop_run(run_id)
    platform.wait_until_ended(run_id)
    written = [path for path in Path(platform.folder).rglob("*") if path.suffix in {".log", ".jsonl", ".json"}]
    assert len(written) > 3
    for path in written:
        with contextlib.suppress(FileNotFoundError):  # the worker tidies up after a run that has ended
            assert platform.token not in path.read_text(errors="replace"), path


def test_the_health_check_knows_who_is_heard(platform):
    def health(name: str) -> int:
        command = [sys.executable, "-m", "phylon.worker.supervisor.health", "--name", name]
        return subprocess.run(command, capture_output=True, check=False, cwd=REPOSITORY).returncode

    platform.wait(lambda: health("first") == 0, "a beat that the service heard")
    assert health("nobody") == 1
