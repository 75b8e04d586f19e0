"""The running service: whether it answers, with which version, by which clock, and who works for it."""

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import NamedTuple

import httpx

from phylon.cli.local.ports import DEFAULT_PORT, HOST, is_free
from phylon.client import Client
from phylon.credentials import DEFAULT_URL
from phylon.doctor.finding import Finding, Machine, error, ok, warning
from phylon.errors import ApiError, PhylonUnreachable

_SECONDS = 10.0
_CLOCK_DIFFERS = 3.0
"""Seconds. The service's own clock comes in whole ones."""
_CLOCK_WRONG = 15.0
"""The lease of a worker, by default."""


class _Answer(NamedTuple):
    health: dict[str, str]
    ahead: float | None
    """Seconds that this machine's clock is ahead of the service's."""


def _url(machine: Machine) -> str:
    return (machine.api_url or DEFAULT_URL).rstrip("/")


def _ask(machine: Machine) -> _Answer:
    """Raises an error of httpx, or ValueError when something else than Phylon answers."""
    begun = time.time()
    answer = httpx.get(f"{_url(machine)}/api/v1/health", timeout=_SECONDS, trust_env=False)
    here = datetime.fromtimestamp((begun + time.time()) / 2, UTC)
    health = answer.json()
    if "version" not in health:
        raise ValueError("it is not Phylon that answers")
    date = answer.headers.get("date")
    return _Answer(health, None if date is None else (here - parsedate_to_datetime(date)).total_seconds() - 0.5)


def check_service(machine: Machine) -> list[Finding]:
    url = _url(machine)
    try:
        health = _ask(machine).health
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failure:
        message = f"nothing answers at {url} ({failure})"
        if machine.api_url is None:
            return [warning("service", message, "start it with `phylon up`, or set PHYLON_API_URL to its address")]
        return [error("service", message, "see that it runs, and that PHYLON_API_URL is its address")]
    gone = [part for part in ("database", "redis") if health.get(part) != "ok"]
    if gone:
        remedy = "look at them, and at the log of the service"
        return [error("service", f"{url} answers, but cannot reach its {' and its '.join(gone)}", remedy)]
    here, there = version("phylon"), health["version"]
    if here != there:
        remedy = f"install the same release here: pip install 'phylon=={there}'"
        return [warning("service", f"{url} has Phylon {there}, this machine {here}", remedy)]
    return [ok("service", f"{url} answers, Phylon {there}")]


def check_clock(machine: Machine) -> list[Finding]:
    try:
        ahead = _ask(machine).ahead
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return []
    if ahead is None:
        return []
    message = f"this clock is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} the service's"
    remedy = "let both machines set their clocks by NTP: timedatectl set-ntp true"
    if abs(ahead) > _CLOCK_WRONG:
        return [error("clock", message, remedy)]
    if abs(ahead) > _CLOCK_DIFFERS:
        return [warning("clock", message, remedy)]
    return [ok("clock", "agrees with the service's")]


def check_workers(machine: Machine) -> list[Finding]:
    try:
        with Client(_url(machine), timeout=_SECONDS) as client:
            states = [worker.state for worker in client.workers()]
    except PhylonUnreachable:
        return []
    except ApiError as failure:
        return [warning("workers", f"the service does not list them: {failure}", "sign in, or ask who may")]
    present = [state for state in states if state != "lost"]
    if not present:
        lost = f"; {len(states)} were there before" if states else ""
        return [warning("workers", f"no worker is there{lost}", "start one with `phylon worker`, or use `phylon up`")]
    return [ok("workers", f"{len(present)} registered: {', '.join(sorted(present))}")]


def check_port(machine: Machine, port: int = DEFAULT_PORT) -> list[Finding]:
    if is_free(port):
        return [ok("port", f"{port} is free")]
    try:
        _ask(Machine(machine.home, {"PHYLON_API_URL": f"http://{HOST}:{port}"}))
    except (httpx.HTTPError, ValueError):
        remedy = "`phylon up` takes the next free one; name one with --port"
        return [warning("port", f"another program listens on {port}", remedy)]
    return [ok("port", f"a Phylon service listens on {port}")]
