"""What a worker reads from its environment, once, at its start."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phylon.redis_url import DEFAULT_REDIS_URL

SECRETS = ("PHYLON_WORKER_TOKEN", "PHYLON_REDIS_URL", "PHYLON_DATABASE_URL")
"""Variables that may hold a secret; a trainer needs none of them and gets none."""


class SettingMissing(ValueError):
    """A variable that a worker cannot do without is not set."""


@dataclass(frozen=True)
class Settings:
    api_url: str
    runs: Path
    """Holds one run directory for each run that this worker took."""
    token: str = field(repr=False)
    redis_url: str = field(repr=False)
    """May hold a password, so it is never printed."""


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    token = environment.get("PHYLON_WORKER_TOKEN", "")
    if not token:
        raise SettingMissing(
            "PHYLON_WORKER_TOKEN is not set; give this worker the same token as the API "
            "(`phylon up` keeps its own in PHYLON_HOME/worker-token)"
        )
    home = Path(environment.get("PHYLON_HOME", "~/.phylon")).expanduser().resolve()
    return Settings(
        api_url=environment.get("PHYLON_API_URL", "http://127.0.0.1:8787").rstrip("/"),
        runs=Path(environment.get("PHYLON_RUNS", home / "runs")).resolve(),
        token=token,
        redis_url=environment.get("PHYLON_REDIS_URL", DEFAULT_REDIS_URL),
    )
