"""Runtime studies: what one measured, and how it stands on the service."""

from typing import Annotated, Any, Literal

from pydantic import Field

from phylon.contract.base import Request
from phylon.contract.experiments import Submission
from phylon.contract.payloads import PayloadSummary
from phylon.spec.distributions import Model
from phylon.spec.runtime_study import StudyCell

CellStatus = Literal["ok", "out_of_memory", "failed", "not_applicable"]

Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Measurement(StudyCell):
    """A cell and what it cost."""

    status: CellStatus
    reason: Annotated[str, Field(max_length=2000)] | None
    """Why there is no number; None where there is one."""
    milliseconds: tuple[Milliseconds, ...]
    """Per update of the whole population, one value per repeat, in the order of time."""
    median: Milliseconds | None
    low: Milliseconds | None
    """Lower quartile."""
    high: Milliseconds | None
    """Upper quartile."""
    calls: int
    """Calls in each repeat."""
    compile_seconds: float | None
    """The first call: compilation, and one call's work."""
    peak_memory_bytes: int | None
    """Of the device where it is known, else the resident memory of the cell's processes, all data included."""
    processes: int
    note: Annotated[str, Field(max_length=2000)] | None
    """What there is to say of a cell that worked, such as what `auto` chose."""


class Machine(Model):
    """Where a study was run."""

    device: Literal["cpu", "gpu", "tpu"]
    device_name: Annotated[str, Field(max_length=200)]
    device_count: int
    """Accelerators, or 1 for the processor."""
    cores: int
    memory_bytes: int
    versions: dict[str, str]
    """Of Python, Phylon and the frameworks."""


class StudyFromYaml(Submission):
    """A study to submit."""

    yaml: str
    worker_id: int | None = None
    """The worker that is to run it; any may without it."""
    project: str | None = None
    """The name of the project that it is for; without it, the first of which one is a member."""


class StudyUpload(Request):
    content: str
    """A `study.jsonl` as `phylon study` writes it."""
    project: str | None = None
    """The name of the project that it is for; without it, the first of which one is a member."""


class StudySummary(PayloadSummary):
    description: str
    machine: Machine | None
    """Where it was measured; none before anyone began."""
    done: int
    total: int
    """Cells."""
    progress: str | None
    """What its worker is at, in words."""


class StoredStudy(StudySummary):
    spec: dict[str, Any]
    yaml: str
    measurements: list[Measurement]
