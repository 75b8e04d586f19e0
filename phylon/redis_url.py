"""One variable, two spellings: PHYLON_REDIS_URL as redis-py and as Celery (kombu) want to read it.

The backend and the worker both build their Redis client from `client_url(...)` and their Celery broker from
`broker_url(...)`. Over TCP the two agree (`redis://host:port/db`); a Unix socket is `unix:///path?db=1` for redis-py
and `redis+socket:///path?virtual_host=1` for kombu. Either spelling may stand in the variable.
"""

from urllib.parse import parse_qs, unquote, urlencode, urlsplit

DEFAULT_REDIS_URL = "redis://127.0.0.1:6379/0"

_TCP = ("redis", "rediss")
_SOCKET = ("unix", "redis+socket")
_DATABASE_KEYS = ("db", "virtual_host")


class RedisURLInvalid(ValueError):
    """PHYLON_REDIS_URL cannot be understood."""


def socket_url(path: str, database: int = 0) -> str:
    """The address of a Redis server that listens on a Unix socket."""
    return f"unix://{path}?db={database}"


def client_url(url: str) -> str:
    """`url` for `redis.from_url`."""
    return _spell(url, "unix", "db")


def broker_url(url: str) -> str:
    """`url` for Celery's `broker_url`."""
    return _spell(url, "redis+socket", "virtual_host")


def _spell(url: str, socket_scheme: str, database_key: str) -> str:
    parts = urlsplit(url)
    if parts.scheme in _TCP and parts.hostname:
        return url
    if parts.scheme not in _SOCKET or not unquote(parts.path).startswith("/") or parts.hostname:
        raise RedisURLInvalid(
            f"PHYLON_REDIS_URL={url!r} is not a Redis address; use redis://HOST:PORT/DATABASE, "
            "rediss://HOST:PORT/DATABASE or unix:///PATH/TO/SOCKET?db=DATABASE"
        )
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    database = next((query.pop(key) for key in _DATABASE_KEYS if key in query), None)
    if database is not None:
        query[database_key] = database
    credentials = parts.netloc  # "user:password@", or nothing
    return f"{socket_scheme}://{credentials}{parts.path}" + (f"?{urlencode(query)}" if query else "")
