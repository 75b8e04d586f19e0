"""How many members the workers can hold, and what one more costs."""

from typing import Literal

from phylon.contract.base import ReadModel
from phylon.contract.protocol import DeviceKind

Limit = Literal["device", "host", "memory"]
"""What runs out first; a CPU's device and host are one memory."""


class SpeedPoint(ReadModel):
    population_size: int
    milliseconds: float
    """Of one update of the whole population."""
    strategy: str
    """The fastest there."""


class SpeedAdvice(ReadModel):
    """What a runtime study says about a spec."""

    study_id: int
    study_name: str
    device_name: str
    hidden: list[int]
    batch_size: int
    is_same_size: bool
    """Whether networks and batches were those of the spec; otherwise they are the nearest that were measured."""
    points: list[SpeedPoint]
    single_milliseconds: float
    nearly_free_up_to: int
    """The largest measured population before a further member costs a tenth of a single one; 1 if each does."""
    one_more_milliseconds: float
    """What a further member would add to the spec's population."""


class WorkerAdvice(ReadModel):
    worker_id: int
    worker_name: str
    device: DeviceKind
    device_name: str
    members: int
    """How many fit."""
    limit: Limit
    """What runs out first."""
    needed_bytes: int
    """Of that memory, by the spec's population, of several hosts by the largest block of it; forecast."""
    usable_bytes: int
    """Of that memory."""
    speed: SpeedAdvice | None
    measuring_study_id: int | None
    """A study of this algorithm that this worker has yet to end."""


class Advice(ReadModel):
    """How many members the workers can hold, and what one more costs."""

    experiment: str
    """Of a group, the experiment that takes most memory."""
    members: int
    member_state_bytes: int
    """On the device: weights, targets, optimisers, and its replay where that lies there."""
    member_step_bytes: int
    """On the device while it learns: batches, gradients, activations."""
    member_host_bytes: int
    """Its own replay, and batches on their way, where the replay lies in host memory."""
    shared_bytes: int
    """What members share, on device and host."""
    workers: list[WorkerAdvice]
    """Those that are alive."""
    elsewhere: list[SpeedAdvice]
    """What was measured on devices that no worker here has now."""
    probe: str | None
    """A small runtime study, as YAML, that measures what is asked here; submit it to a worker."""
    unmeasured: str | None
    """Why no study can say, where none can."""
