"""Free ports on the loopback address."""

import socket

from phylon.cli.exits import BadInput

HOST = "127.0.0.1"
DEFAULT_PORT = 8787
TRIES = 50


def choose_port(wanted: int | None) -> int:
    """The wanted port, or the first free one from the default on."""
    if wanted is not None:
        if not is_free(wanted):
            raise BadInput(f"port {wanted} is taken; choose another with --port, or leave it out to get a free one")
        return wanted
    for port in range(DEFAULT_PORT, DEFAULT_PORT + TRIES):
        if is_free(port):
            return port
    raise BadInput(f"ports {DEFAULT_PORT} to {DEFAULT_PORT + TRIES - 1} are all taken; name a free one with --port")


def any_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself will do
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
