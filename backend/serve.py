"""Starts the API: `python -m phylon.backend.serve`. Until Phylon has accounts it listens on this machine alone."""

import argparse
import ipaddress
import sys

import uvicorn

from phylon.backend.app import create_app
from phylon.backend.kit import logging
from phylon.backend.settings import SettingInvalid, from_environment

_GRACE_SECONDS = 3
"""For open event streams when the service is asked to end; their readers resume at the next start."""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.backend.serve", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="loopback address to listen on (default: %(default)s)")
    parser.add_argument("--port", default=8787, type=int, help="port to listen on (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not is_loopback(options.host):
        print(
            f"Refusing to listen on {options.host}: there are no accounts yet, so anyone who reaches the service could "
            "start work on this machine. Use --host 127.0.0.1 and an SSH tunnel or an authenticating proxy before it.",
            file=sys.stderr,
        )
        return 2
    try:
        settings = from_environment()
    except SettingInvalid as error:
        print(error, file=sys.stderr)
        return 2
    logging.configure(settings.log_format)
    uvicorn.run(
        create_app(settings),
        host=options.host,
        port=options.port,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
