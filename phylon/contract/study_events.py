"""What the process of a runtime study reports. `step` counts the cells that were measured by then.

History is never cut back: a measured cell stays measured, whichever worker goes on. Cells of one study must come from
one machine, so those before a `machine` event that names another one are void.
"""

from typing import Annotated, Literal, get_args

from pydantic import Discriminator, TypeAdapter
from typing_extensions import TypeAliasType

from phylon.contract.events import Event, Stopped
from phylon.contract.outcomes import JobFailed, JobFinished
from phylon.contract.studies import Machine, Measurement


class MachineKnown(Event):
    """Where the cells that follow are measured."""

    kind: Literal["machine"]
    machine: Machine


class Progress(Event):
    """What happens now, in words."""

    kind: Literal["progress"]
    text: str


class Measured(Event):
    """One cell is done, whether it gave a number or a reason why there is none."""

    kind: Literal["measured"]
    measurement: Measurement


_AnyEvent = MachineKnown | Progress | Measured | JobFinished | Stopped | JobFailed

StudyEvent = TypeAliasType("StudyEvent", Annotated[_AnyEvent, Discriminator("kind")])
STUDY_EVENTS: tuple[type[Event], ...] = get_args(_AnyEvent)

study_event: TypeAdapter[StudyEvent] = TypeAdapter(StudyEvent)
