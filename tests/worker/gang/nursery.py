"""`nursery FD`: a process that has loaded the engine, and forks a trainer for each request at the socket FD.

To load JAX and the engine is most of what a small trainer costs. Here nothing of them has started: no device, no
thread. Each trainer is a process of its own, in a session of its own, with its own variables, standard input and log.
"""

import json
import os
import runpy
import selectors
import socket
import sys
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from subprocess import TimeoutExpired

ROOT = Path(__file__).parents[3]
MESSAGE_BYTES = 2**16


class Trainer:
    """As `subprocess.Popen` has it."""

    def __init__(self, requests: socket.socket, log: Path, variables: Mapping[str, str], command: list[str]) -> None:
        """`command`: a module and its arguments."""
        (reads, writes), (self._ended, ended) = os.pipe(), os.pipe()
        with log.open("w") as output:
            message = json.dumps([dict(variables), *command]).encode()
            socket.send_fds(requests, [message], [reads, output.fileno(), ended])
        os.close(reads)
        os.close(ended)
        self.stdin, self.returncode = FileIO(writes, "w"), None
        self.pid = int(requests.recv(MESSAGE_BYTES))

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except TimeoutExpired:
            return None

    def wait(self, seconds: float) -> int:
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._ended, selectors.EVENT_READ)
                if not selector.select(seconds):
                    raise TimeoutExpired(f"process {self.pid}", seconds)
            self.returncode = int(os.read(self._ended, MESSAGE_BYTES))
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def close(self) -> None:
        self.stdin.close()
        os.close(self._ended)


def serve(requests: socket.socket) -> None:
    selector = selectors.DefaultSelector()
    selector.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.data:
                pid, ended = key.data
                _, status = os.waitpid(pid, 0)
                selector.unregister(key.fd)
                os.close(key.fd)
                os.write(ended, str(os.waitstatus_to_exitcode(status)).encode())
                os.close(ended)
                continue
            message, descriptors, *_ = socket.recv_fds(requests, MESSAGE_BYTES, 3)
            if not message:
                return
            stdin, log, ended = descriptors
            if (pid := os.fork()) == 0:
                requests.close()
                become(stdin, log, *json.loads(message))
            selector.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, ended))
            os.close(stdin)
            os.close(log)
            requests.send(str(pid).encode())


def become(stdin: int, log: int, variables: dict[str, str], module: str, *arguments: str) -> None:
    """`python -m MODULE ARGUMENTS`, until it exits."""
    os.setsid()
    for source, target in ((stdin, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    import phylon.worker.gang.joining
    import phylon.worker.training.session
    import phylon.worker.training.versions  # noqa: F401

    assert len(os.listdir("/proc/self/task")) == 1, "a thread would not live on in a fork"
    serve(socket.socket(fileno=int(sys.argv[1])))
