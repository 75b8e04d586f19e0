"""What the service reads from its environment, once, at its start."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import phylon
from phylon.redis_url import DEFAULT_REDIS_URL


class SettingInvalid(ValueError):
    """An environment variable cannot be understood; the message names it, its value and a remedy."""


@dataclass(frozen=True)
class Settings:
    database_url: str
    artifacts: Path
    redis_url: str = field(default=DEFAULT_REDIS_URL, repr=False)
    """May hold a password, so it is never printed."""
    worker_token: str | None = field(default=None, repr=False)
    lease_seconds: float = 15.0
    """How long a run stays with a worker that says nothing."""
    redispatch_seconds: float = 10.0
    """How long a dispatched run waits to be claimed before it is sent again."""
    tick_seconds: float = 0.5
    """Between two looks of the scheduler at the queue."""
    max_attempts: int = 5
    frontend: Path = Path(phylon.__file__).parent / "web"
    """The built user interface: part of the wheel, and in a checkout a link to where the UI is built."""
    log_format: str = "console"


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    home = Path(environment.get("PHYLON_HOME", "~/.phylon")).expanduser().resolve()
    return Settings(
        database_url=environment.get("PHYLON_DATABASE_URL", f"sqlite:///{home / 'phylon.db'}"),
        artifacts=Path(environment.get("PHYLON_ARTIFACTS", home / "artifacts")),
        redis_url=environment.get("PHYLON_REDIS_URL", DEFAULT_REDIS_URL),
        worker_token=environment.get("PHYLON_WORKER_TOKEN") or None,
        lease_seconds=_positive(environment, "PHYLON_LEASE_SECONDS", 15.0),
        frontend=Path(environment.get("PHYLON_FRONTEND", Settings.frontend)),
        log_format=environment.get("PHYLON_LOG_FORMAT", "console"),
    )


def _positive(environment: Mapping[str, str], name: str, default: float) -> float:
    text = environment.get(name, str(default))
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise SettingInvalid(f"{name}={text!r} is not a number above 0; set it to seconds such as {default:g}.")
    return value
