"""How work other than training ends. One class for all kinds: an event that stands alone says nothing of its job."""

from typing import Literal

from phylon.contract.events import Event


class JobFinished(Event):
    """Everything that was asked for is done."""

    kind: Literal["finished"]


class JobFailed(Event):
    """It cannot go on, and trying again would not help."""

    kind: Literal["failed"]
    message: str
    remedy: str
