"""One run as its log lines tell it: service and supervisor speak of the same job and attempt, and of no secret."""

import json
from typing import Any


def read(platform, name: str) -> list[dict[str, Any]]:
    """Every line but the header that the test's own process writer adds is JSON."""
    text = (platform.folder / f"{name}.log").read_text()
    return [json.loads(line) for line in text.splitlines() if not line.startswith("--- ")]


def run_job(platform) -> int:
    """The number of the only job, from the line of its claim."""
    return next(line["job_id"] for line in read(platform, "api") if line.get("path", "").endswith("/claim"))


def test_a_run_can_be_followed_through_all_processes(run_platform, make_spec, monkeypatch):
    monkeypatch.setenv("PHYLON_LOG_FORMAT", "json")
    with run_platform() as platform:
        run = platform.wait_until_ended(platform.submit(make_spec()))
        assert run.status == "finished", run.error
        ended = f"job {run_job(platform)}: finished"
        platform.wait(lambda: ended in (platform.folder / "worker.log").read_text(), "the supervisor to note the end")
        api, worker = read(platform, "api"), read(platform, "worker")
        [claim] = [line for line in api if line["event"] == "request" and line["path"].endswith("/claim")]
        job_id = claim["job_id"]
        supervised = [line for line in worker if line.get("job_id") == job_id]
        assert {line["attempt"] for line in supervised} == {1}
        assert any("attempt 1" in line["event"] for line in supervised)
        assert any(line["event"] == f"job {job_id}: finished" for line in supervised)
        assert claim["request_id"] and all("timestamp" in line and "level" in line for line in api + worker)
        everything = "".join(path.read_text() for path in platform.folder.glob("*.log"))
        assert platform.token not in everything
