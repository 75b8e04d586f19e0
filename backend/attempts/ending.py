"""What becomes of a run whose attempt ended without an outcome."""

from typing import Literal

from phylon.backend.kit import clock
from phylon.backend.kit.columns import without_nul
from phylon.backend.models import Attempt, Run
from phylon.backend.runs.status import RunStatus, move

Reason = Literal["crashed", "worker_shutdown", "lost"]


def give_up(run: Run, attempt: Attempt, reason: Reason, detail: str) -> None:
    """The run is queued again and will resume from its checkpoint, unless nobody wants it or it keeps breaking."""
    attempt.end, attempt.detail, attempt.ended_at = reason, without_nul(detail), clock.now()
    if reason == "worker_shutdown":
        run.handed_back += 1
    if run.status == RunStatus.STOPPING:
        move(run, RunStatus.STOPPED, clock.now())
    elif run.counted_attempts >= run.max_attempts:
        run.error = {
            "message": f"All {run.max_attempts} attempts ended without an outcome. The last {_spell(reason, detail)}",
            "remedy": "Read the log of the last attempt; correct the spec or the worker, then submit it again.",
            "member": None,
            "hyperparams": None,
        }
        move(run, RunStatus.FAILED, clock.now())
    else:
        move(run, RunStatus.QUEUED, clock.now())


def _spell(reason: Reason, detail: str) -> str:
    words = {"crashed": "crashed", "lost": "was lost", "worker_shutdown": "was handed back"}[reason]
    return f"{words}: {detail}" if detail else f"{words}."
