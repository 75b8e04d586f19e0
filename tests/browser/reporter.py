"""A worker that trains nothing: it speaks the protocol and reports what a test asks for, when the test asks for it."""

import contextlib
from collections.abc import Iterator
from typing import Any

import httpx


class Reporter:
    """It holds all jobs that it could claim."""

    def __init__(self, platform: Any, http: httpx.Client, slots: int) -> None:
        registration = {
            **{"name": "of the test", "device": "cpu", "device_name": "a processor", "device_count": slots},
            **{"memory_bytes": 64 * 2**30, "slots": slots, "versions": {"jax": "0"}, "suites": ["gymnasium"]},
        }
        self._http = http
        enrolled = self._post("/enrol", {"code": platform.enrolment_code(), "registration": registration})
        http.headers["Authorization"] = f"Bearer {enrolled['credential']}"
        self.id = self._post("/register", registration)["worker_id"]
        self.seqs: dict[int, int] = {}

    def claim(self, job_id: int) -> bool:
        """Once the scheduler has sent it here."""
        answer = self._http.post(f"/jobs/{job_id}/claim", json={"worker_id": self.id})
        if answer.status_code != 200:
            return False
        self._post(f"/jobs/{job_id}/resume", {"attempt": 1, "from_seq": 0})
        self.seqs[job_id] = 0
        return True

    def report_returns(self, ticks: int) -> None:
        """So many new ticks of every job."""
        for job_id, seq in self.seqs.items():
            self.report(
                job_id,
                *(
                    {
                        **{"kind": "metrics", "step": 100 * (number + 1), "wall": number + 1.0},
                        "frames": {"evaluation/return": [number + slot for slot in range(4)]},
                    }
                    for number in range(seq, seq + ticks)
                ),
            )

    def report(self, job_id: int, *events: dict[str, Any], logs: tuple[str, ...] = ()) -> None:
        """Events without their numbers, and the first lines of the log."""
        seq = self.seqs[job_id]
        body = {
            "attempt": 1,
            "events": [{"seq": seq + place, **event} for place, event in enumerate(events)],
            "logs": [
                {"line": line, "wall": float(line), "stream": "trainer", "text": text} for line, text in enumerate(logs)
            ],
        }
        answer = self._post(f"/jobs/{job_id}/heartbeat", body)
        assert answer["next_seq"] == seq + len(events)
        self.seqs[job_id] = answer["next_seq"]

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        answer = self._http.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()


@contextlib.contextmanager
def connect(platform: Any, slots: int) -> Iterator[Reporter]:
    with httpx.Client(base_url=f"{platform.url}/api/v1/worker", timeout=60, trust_env=False) as http:
        yield Reporter(platform, http, slots)
