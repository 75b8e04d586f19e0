"""What a worker reads from its environment, once, at its start."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phylon.redis_url import DEFAULT_REDIS_URL

SECRETS = ("PHYLON_ENROLMENT_CODE", "PHYLON_TOKEN", "PHYLON_REDIS_URL", "PHYLON_DATABASE_URL")
"""Variables that may hold a secret; a trainer needs none of them and gets none."""


class SettingInvalid(ValueError):
    """A variable has a value that cannot be understood."""


@dataclass(frozen=True)
class Settings:
    api_url: str
    runs: Path
    """Holds one run directory for each run that this worker took."""
    home: Path
    """Holds what this worker keeps between two starts."""
    redis_url: str = field(repr=False)
    """May hold a password, so it is never printed."""
    enrolment_code: str | None = field(default=None, repr=False)
    """Exchanged for a credential when there is none."""
    least_free_bytes: int = 512 * 2**20
    """With less room for run directories than this, jobs are handed back."""


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    home = Path(environment.get("PHYLON_HOME", "~/.phylon")).expanduser().resolve()
    return Settings(
        api_url=environment.get("PHYLON_API_URL", "http://127.0.0.1:8787").rstrip("/"),
        runs=Path(environment.get("PHYLON_RUNS", home / "runs")).resolve(),
        home=home,
        redis_url=environment.get("PHYLON_REDIS_URL", DEFAULT_REDIS_URL),
        enrolment_code=environment.get("PHYLON_ENROLMENT_CODE") or None,
        least_free_bytes=_megabytes(environment.get("PHYLON_LEAST_FREE_MB", "512")),
    )


def _megabytes(text: str) -> int:
    if not text.isdecimal():
        raise SettingInvalid(f"PHYLON_LEAST_FREE_MB={text!r} is not a whole number; set it to megabytes such as 512")
    return int(text) * 2**20
