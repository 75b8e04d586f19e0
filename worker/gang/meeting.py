"""Where processes of a gang find each other: the first one leaves its address in the run directory, which all can see.

It says for which launch it is, so a file that an earlier one left behind misleads nobody.
"""

import os
import socket
import time
from pathlib import Path

from phylon.launch import Launch
from phylon.run_directory import replace_file
from phylon.spec.distributions import Model
from phylon.worker.core.errors import EngineError

MEETING_FILE = "meeting.json"
PATIENCE = "PHYLON_JOIN_SECONDS"
LOOK_SECONDS = 0.05


class Meeting(Model):
    launch: str
    host: str
    address: str
    """Of the coordinator: an IP address and a port."""


class NobodyCame(EngineError):
    """Not all processes of the launch were there in time."""


def patience() -> float:
    """Seconds that processes may take to start, from the first to the last."""
    return float(os.environ.get(PATIENCE) or 120)


def call(run_dir: Path, launch: Launch) -> Meeting:
    """Chooses a free port of the address that this host's name stands for, where the collectives listen, too."""
    host = socket.gethostname()
    try:
        own = socket.gethostbyname(host)
    except OSError as error:
        raise EngineError(
            f"the name of this host, '{host}', stands for no address: {error}", "put it into /etc/hosts"
        ) from None
    with socket.socket() as probe:
        probe.bind((own, 0))
        meeting = Meeting(launch=launch.name, host=host, address=f"{own}:{probe.getsockname()[1]}")
    leave(run_dir, launch, meeting.host, meeting.address)
    return meeting


def leave(run_dir: Path, launch: Launch, host: str, address: str) -> None:
    """Where the first one is to be found."""
    meeting = Meeting(launch=launch.name, host=host, address=address)
    replace_file(run_dir / MEETING_FILE, meeting.model_dump_json().encode())


def look(run_dir: Path, launch: Launch) -> Meeting | None:
    """What the first one of this launch has left, if it has."""
    try:
        meeting = Meeting.model_validate_json((run_dir / MEETING_FILE).read_bytes())
    except FileNotFoundError:
        return None
    return meeting if meeting.launch == launch.name else None


def find(run_dir: Path, launch: Launch) -> Meeting:
    deadline = time.monotonic() + patience()
    while (meeting := look(run_dir, launch)) is None:
        if time.monotonic() > deadline:
            raise NobodyCame(
                f"process {launch.rank} of {launch.size} waited {patience():g} s for the first one, which should write "
                f"{run_dir / MEETING_FILE}",
                f"start all of {launch.of(launch.size)} within this time, with a directory that all can see; its own "
                f"log says why the first one did not; {PATIENCE} sets the time",
            )
        time.sleep(LOOK_SECONDS)
    if meeting.address.startswith("127.") and meeting.host != socket.gethostname():
        raise EngineError(
            f"the first process is on host '{meeting.host}', whose name stands for {meeting.address.split(':')[0]} "
            "there: no other host can reach that",
            "let the name stand for the address of its network card, in its /etc/hosts",
        )
    return meeting
