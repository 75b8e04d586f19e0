"""`phylon study` with real processes: measured, printed, taken up, refused, handed to the service, queued there."""

import json
from pathlib import Path

import pytest

from phylon import Client
from phylon.study import STUDY_FILE, read

pytest.importorskip("torch", reason="PyTorch is not installed; run: pip install 'phylon[torch]'")

SPEC = """
version: 1
name: tiny
kind: runtime_study
algorithms: [ddpg]
frameworks: [torch]
strategies: [sequential]
population_sizes: [1]
fused_updates: [1]
batch_sizes: [4]
hidden: [[4]]
repeats: 2
warmup_calls: 1
seconds: 0.01
"""


@pytest.fixture(scope="module")
def spec(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("spec") / "tiny.yaml"
    file.write_text(SPEC)
    return file


def environment() -> dict[str, str]:
    """Without what the engine's own tests set in this process."""
    return {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""}


def test_a_study_is_measured_printed_and_handed_to_the_service(shell, service, spec: Path, tmp_path: Path):
    folder = tmp_path / "out"
    command = ("study", str(spec), "--out", str(folder))
    done = shell(*command, "--upload", "--url", service.url, environment=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "torch sequential" in done.stdout and "1.00x" in done.stdout
    assert "ddpg, 1 members" in done.stderr
    assert (folder / "study.csv").read_text().startswith("algorithm,framework,strategy")
    found = read(folder / STUDY_FILE)
    with Client(service.url) as client:
        [stored] = client.studies()
        assert client.study(stored.id).measurements == list(found.measurements)
        client.delete_study(stored.id)

    again = shell(*command, "--json", environment=environment())
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["measurements"] == found.model_dump(mode="json")["measurements"], "not done twice"

    other = shell(*command, "--set", "repeats=3", environment=environment())
    assert other.returncode == 2
    assert "repeats differ" in other.stderr


def test_a_study_waits_in_the_queue_of_the_service(phylon, service, spec: Path):
    done = phylon("study", str(spec), "--submit", "--url", service.url)
    assert done.exit_code == 0, done.output
    with Client(service.url) as client:
        [stored] = client.studies()
        assert (stored.name, stored.status, stored.total) == ("tiny", "queued", 1)
        assert client.stop_study(stored.id).status == "stopped"
        client.delete_study(stored.id)
    nobody = phylon("study", str(spec), "--submit", "--worker", "nobody", "--url", service.url)
    assert nobody.exit_code == 2
    assert "no worker 'nobody'" in nobody.output


def test_an_experiment_is_no_study_and_a_study_trains_nothing(phylon, spec: Path):
    assert "no runtime study" in phylon("study", "td3-pbt-pendulum-smoke").output
    refused = phylon("train", str(spec))
    assert refused.exit_code == 2
    assert "phylon study" in refused.output
    assert "1 cells" in phylon("validate", str(spec)).output
