"""What the process of an environment's check reports: all at once, so a check that was interrupted begins again."""

from typing import Annotated, Literal, get_args

from pydantic import Discriminator, TypeAdapter
from typing_extensions import TypeAliasType

from phylon.contract.environment_checks import EnvironmentReport
from phylon.contract.events import Event, Stopped
from phylon.contract.outcomes import JobFailed, JobFinished


class EnvironmentChecked(Event):
    """The environment was tried."""

    kind: Literal["checked"]
    report: EnvironmentReport


_AnyEvent = EnvironmentChecked | JobFinished | Stopped | JobFailed

EnvironmentCheckEvent = TypeAliasType("EnvironmentCheckEvent", Annotated[_AnyEvent, Discriminator("kind")])
ENVIRONMENT_CHECK_EVENTS: tuple[type[Event], ...] = get_args(_AnyEvent)

environment_check_event: TypeAdapter[EnvironmentCheckEvent] = TypeAdapter(EnvironmentCheckEvent)
