"""Where members live."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model

Suite = Literal["gymnasium", "probe"]


class EnvironmentSpec(Model):
    suite: Suite
    id: Annotated[str, Field(min_length=1, max_length=200)]
    envs_per_member: Annotated[int, Field(strict=True, ge=1, le=256)] = 1
