"""Two processes in two networks, with nothing but a pair of virtual cards between them, as two machines have it.

All namespaces are the test's own, and end with it: nothing of this machine's network is touched.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from phylon.launch import Launch

from . import driver
from .conftest import SECONDS
from .nursery import ROOT

UNSHARE = [
    "unshare",
    "--user",
    "--map-root-user",
    "--net",
    "--uts",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
]
CARDS = "ip link add name card-0 type veth peer name card-1"
HOSTS = "10.77.0.1 host-0\n10.77.0.2 host-1\n"
NETWORKS = f"""
set -e
exec 3<&0
mount --bind hosts /etc/hosts
mkfifo here card
unshare --net --uts sh -e -c '
    hostname host-1
    ip link set lo up
    echo > here
    read _ < card
    ip address add 10.77.0.2/24 dev card-1
    ip link set card-1 up
    cd "$0"
    PHYLON_RANK=1 exec "$@"
' "$@" <&3 > 1.log 2>&1 &
hostname host-0
ip link set lo up
read _ < here
{CARDS} netns $!
ip address add 10.77.0.1/24 dev card-0
ip link set card-0 up
echo > card
(cd "$1" && shift && PHYLON_RANK=0 exec "$@") <&3 > 0.log 2>&1
wait $!
"""
"""Of the folder where it begins; arguments are another folder and the command to run in that one."""


def why_not() -> str:
    """Empty where the kernel allows it."""
    try:
        tried = subprocess.run([*UNSHARE, "sh", "-c", CARDS], capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        return str(error)
    return tried.stderr.strip()


def test_processes_in_two_networks_hear_each_other(tmp_path: Path, variables):
    """By the address of a card, not by loopback, which no other machine could reach."""
    if reason := why_not():
        pytest.skip(f"no networks of our own here: {reason}")
    (tmp_path / "hosts").write_text(HOSTS)
    command = [ROOT, sys.executable, "-m", driver.__name__, tmp_path, "point_to_point"]
    log = tmp_path / "log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            [*UNSHARE, "sh", "-c", NETWORKS, "networks", *command],
            cwd=tmp_path,
            env={**variables, **Launch(0, 2, "networks").variables()},
            stdin=subprocess.PIPE,
            stderr=output,
        ) as process,
    ):
        try:
            code = process.wait(SECONDS)
        finally:
            process.kill()
    said = {file.name: file.read_text() for file in tmp_path.glob("*log")}
    assert code == 0, said
    for rank in (0, 1):
        assert "joined at 10.77.0.1:" in said[f"{rank}.log"]
        assert f"heard [0, 1] {{{1 - rank}: True}}" in said[f"{rank}.log"], said
