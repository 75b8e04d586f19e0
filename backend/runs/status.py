"""The life of a run. Nothing else may change `Run.status`.

    queued ──▶ dispatched ──▶ running ──▶ finished
      ▲            │            │  │
      ├────────────┘            │  ├────▶ failed
      └─────── lost, crashed ───┘  └────▶ stopping ──▶ stopped (or finished, failed)

A run that no worker holds yet stops at once.
"""

from enum import StrEnum


class RunStatus(StrEnum):
    QUEUED = "queued"
    DISPATCHED = "dispatched"
    RUNNING = "running"
    STOPPING = "stopping"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
