"""What the service reads from its environment, once, at its start."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import phylon
from phylon.redis_url import DEFAULT_REDIS_URL


class SettingInvalid(ValueError):
    """An environment variable cannot be understood; the message names it, its value and a remedy."""


@dataclass(frozen=True)
class Settings:
    database_url: str
    artifacts: Path | str
    """A directory, or the address of a bucket such as `s3://bucket/prefix`."""
    redis_url: str = field(default=DEFAULT_REDIS_URL, repr=False)
    """May hold a password, so it is never printed."""
    public_url: str | None = None
    """Where people reach the service, such as https://phylon.example.org. It turns accounts on; without it the service
    trusts everyone who reaches it, and listens on this machine alone."""
    lease_seconds: float = 15.0
    """How long a run stays with a worker that says nothing."""
    redispatch_seconds: float = 10.0
    """How long a dispatched run waits to be claimed before it is sent again."""
    gang_start_seconds: float = 60.0
    """How long a run of several hosts waits for the last of its workers, once the first has taken its part."""
    tick_seconds: float = 0.5
    """Between two looks of the scheduler at the queue."""
    max_attempts: int = 5
    retry_seconds: float = 10.0
    """Before a job is tried again after its first bad end; twice as long after each further one, up to sixty times."""
    usage_half_life_seconds: float = 3 * 86400.0
    """After which use of devices counts half in fair shares. With one day, people of small shares are up to 6 % apart
    after a quarter, since what a large job adds is forgotten too soon; with seven, one who used much waits twice as
    long for the next job to start."""
    frontend: Path = Path(phylon.__file__).parent / "web"
    """The built user interface: part of the wheel, and in a checkout a link to where the UI is built."""
    log_format: str = "console"
    least_free_bytes: int = 512 * 2**20
    """With less room for artifacts than this, uploads have to wait."""
    log_days: float | None = None
    """The log of a job that ended longer ago is deleted; None to keep all."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses whose `X-Forwarded-For` and `X-Forwarded-Proto` count."""
    metrics_token: str | None = field(default=None, repr=False)
    webhook_allow_private: bool = False
    """Whether webhooks may call loopback and private addresses."""


def home(environment: Mapping[str, str] = os.environ) -> Path:
    return Path(environment.get("PHYLON_HOME", "~/.phylon")).expanduser().resolve()


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    place = home(environment)
    return Settings(
        database_url=environment.get("PHYLON_DATABASE_URL", f"sqlite:///{place / 'phylon.db'}"),
        artifacts=_place(environment.get("PHYLON_ARTIFACTS") or str(place / "artifacts")),
        redis_url=environment.get("PHYLON_REDIS_URL", DEFAULT_REDIS_URL),
        public_url=_address(environment, "PHYLON_PUBLIC_URL"),
        lease_seconds=_positive(environment, "PHYLON_LEASE_SECONDS", 15.0),
        retry_seconds=_positive(environment, "PHYLON_RETRY_SECONDS", 10.0),
        gang_start_seconds=_positive(environment, "PHYLON_GANG_START_SECONDS", 60.0),
        usage_half_life_seconds=_positive(
            environment, "PHYLON_USAGE_HALF_LIFE_SECONDS", Settings.usage_half_life_seconds
        ),
        frontend=Path(environment.get("PHYLON_FRONTEND", Settings.frontend)),
        log_format=environment.get("PHYLON_LOG_FORMAT", "console"),
        least_free_bytes=round(_positive(environment, "PHYLON_LEAST_FREE_MB", 512, "megabytes") * 2**20),
        log_days=_positive(environment, "PHYLON_LOG_DAYS", 90, "days") if "PHYLON_LOG_DAYS" in environment else None,
        trusted_proxies=_addresses(environment, "PHYLON_TRUSTED_PROXIES"),
        metrics_token=environment.get("PHYLON_METRICS_TOKEN") or None,
        webhook_allow_private=environment.get("PHYLON_WEBHOOK_ALLOW_PRIVATE", "") == "1",
    )


def _address(environment: Mapping[str, str], name: str) -> str | None:
    """As browsers write an origin: scheme, host and, where it is not the scheme's own, port."""
    text = environment.get(name, "")
    if not text:
        return None
    parts = urlsplit(text)
    is_origin = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
    if not is_origin or parts.query or parts.fragment or parts.username is not None:
        raise SettingInvalid(f"{name}={text!r} is not an address such as https://phylon.example.org, without a path.")
    return f"{parts.scheme}://{parts.netloc}".lower().removesuffix({"http": ":80", "https": ":443"}[parts.scheme])


def _place(text: str) -> Path | str:
    return text if "://" in text else Path(text)


def _addresses(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Never a wildcard: then anyone could choose the address that limits count."""
    given = tuple(word.strip() for word in environment.get(name, "").split(",") if word.strip())
    for word in given:
        try:
            ipaddress.ip_network(word)
        except ValueError:
            raise SettingInvalid(
                f"{name}={word!r} is neither an address nor a network; set it to such as 10.0.0.7 or 172.16.0.0/12."
            ) from None
    return given


def _positive(environment: Mapping[str, str], name: str, default: float, unit: str = "seconds") -> float:
    text = environment.get(name, str(default))
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise SettingInvalid(f"{name}={text!r} is not a number above 0; set it to {unit} such as {default:g}.")
    return value
