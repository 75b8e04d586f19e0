"""Redis, which carries messages to workers: the one that was named, or the one that `phylon up` starts."""

from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

from phylon.cli.exits import WorkFailed
from phylon.cli.local.home import Home
from phylon.cli.local.redis_server import Version, find_executable, version_of
from phylon.doctor.finding import Finding, Machine, error, is_installed, ok, warning
from phylon.redis_url import RedisURLInvalid, client_url, socket_url

_OLDEST: Version = (6, 2)
_OLDEST_SHARED: Version = (7,)
"""For one that a team shares; the bundled 6.2 serves a single machine well."""
_SECONDS = 5.0


def check_redis(machine: Machine) -> list[Finding]:
    url = machine.environment.get("PHYLON_REDIS_URL")
    if not is_installed("redis"):
        return [ok("redis", "neither service nor worker is installed here")]
    if url:
        return [_ask(url, "see that it runs, and that PHYLON_REDIS_URL names it and has its password")]
    socket = Home(machine.home).socket
    if socket.exists():
        return [_ask(socket_url(str(socket)), "restart `phylon up`, which starts it")]
    try:
        program = find_executable()
    except WorkFailed as failure:
        return [error("redis", str(failure), "run: pip install 'phylon[server]'")]
    return [ok("redis", f"{program}, version {_dotted(version_of(program))}, starts with `phylon up`")]


def _ask(url: str, remedy: str) -> Finding:
    import redis  # here, because most commands need not wait for it

    try:
        limits = {"socket_connect_timeout": _SECONDS, "socket_timeout": _SECONDS}
        with cast(Any, redis.Redis).from_url(client_url(url), **limits) as server:
            answer: dict[str, str] = server.info("server")
    except RedisURLInvalid as failure:
        return error("redis", "PHYLON_REDIS_URL is not a Redis address", str(failure).partition("; ")[2])
    except redis.RedisError as failure:
        return error("redis", f"it does not answer at {_shown(url)}: {failure}", remedy)
    found = tuple(int(part) for part in answer["redis_version"].split("."))
    message = f"version {_dotted(found)} answers at {_shown(url)}"
    oldest = _OLDEST if _is_local(url) else _OLDEST_SHARED
    if found < oldest:
        return warning("redis", message, f"upgrade it to {_dotted(oldest)} or newer")
    return ok("redis", message)


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname
    try:
        return not host or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(url: str) -> str:
    """Without its password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
