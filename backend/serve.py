"""Starts the API: `python -m phylon.backend.serve`. Without accounts it listens on this machine alone."""

import argparse
import ipaddress
import os
import sys

import uvicorn

from phylon.backend.app import create_app
from phylon.backend.artifacts.stores import open_store
from phylon.backend.kit import lasting, logging
from phylon.backend.kit.errors import PlatformError
from phylon.backend.schema import DatabaseUnreachable, require_current
from phylon.backend.settings import SettingInvalid, from_environment

_GRACE_SECONDS = 3
"""For open event streams when the service is asked to end; their readers resume at the next start."""

_KEEP_ALIVE_SECONDS = 75
"""Longer than proxies keep a connection, so that none sends a request into one that we are just closing."""
_LONGEST_HEAD = 2**16
"""Bytes of a request's head."""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.backend.serve", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", default=8787, type=int, help="port to listen on (default: %(default)s)")
    parser.add_argument(
        "--public-url", help="where people reach the service; turns accounts on (default: PHYLON_PUBLIC_URL)"
    )
    options = parser.parse_args(arguments)
    given = {} if options.public_url is None else {"PHYLON_PUBLIC_URL": options.public_url}
    try:
        settings = from_environment(os.environ | given)
        open_store(settings.artifacts)  # a wrong address is refused now, and not at the first upload
    except SettingInvalid as error:
        print(error, file=sys.stderr)
        return 2
    if settings.public_url is None and not is_loopback(options.host):
        print(
            f"Refusing to listen on {options.host} without accounts: anyone who reaches the service could start work "
            "on this machine. Turn accounts on with --public-url https://..., or use --host 127.0.0.1.",
            file=sys.stderr,
        )
        return 2
    try:
        require_current(settings.database_url)
    except DatabaseUnreachable:
        pass  # it may come later; until then requests are answered with 503
    except PlatformError as error:
        print(f"{error.detail} {error.remedy}", file=sys.stderr)
        return 2
    logging.configure(settings.log_format)
    app = create_app(settings)
    lasting.set_aside()
    uvicorn.run(
        app,
        host=options.host,
        port=options.port,
        log_config=None,
        server_header=False,
        # Without a list of its own uvicorn would believe whatever stands on this machine.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
