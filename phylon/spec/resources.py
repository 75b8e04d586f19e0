"""What a job asks of the machine that executes it. It decides where and when something is trained, never what."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.distributions import Model
from phylon.spec.quantities import read_size

MOST_DEVICES = 64
MOST_HOSTS = 64

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$")]


def _each_once(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) < len(labels):
        raise PydanticCustomError("repeated", "a label is listed twice", {"remedy": "list each label once"})
    return labels


class ResourcesSpec(Model):
    devices: Annotated[int, Field(strict=True, ge=1, le=MOST_DEVICES)] = 1
    """Slots of one worker: GPUs, or what the operator of a CPU worker offers as one."""
    device: Literal["any", "cpu", "gpu"] = "any"
    memory: Literal["auto"] | Annotated[int, Field(strict=True, ge=1), BeforeValidator(read_size)] = "auto"
    """Of each device, e.g. `12GB`. `auto` is Phylon's own forecast, of host memory too."""
    labels: Annotated[tuple[Label, ...], Field(max_length=20), AfterValidator(_each_once)] = ()
    """That the worker must have, such as `a100`."""
    hosts: Annotated[int, Field(strict=True, ge=1, le=MOST_HOSTS)] = 1
    """Workers that train the population together, each a block of the members, on `devices` of its own."""
    min_hosts: Annotated[int, Field(strict=True, ge=1, le=MOST_HOSTS)] | None = None
    """With how few a run goes on from its last checkpoint, where there are no more; `hosts` unless it is written."""

    @property
    def fewest_hosts(self) -> int:
        return self.min_hosts or self.hosts

    @model_validator(mode="after")
    def _ordered(self) -> "ResourcesSpec":
        if self.fewest_hosts > self.hosts:
            raise PydanticCustomError(
                "reversed",
                "min_hosts is {fewest}, but hosts is only {hosts}",
                {"fewest": self.fewest_hosts, "hosts": self.hosts, "remedy": "lower min_hosts, or raise hosts"},
            )
        return self
