"""Starts Redis, the service and a worker in order, keeps them alive, and ends them in the opposite order."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from phylon.cli.exits import WorkFailed
from phylon.cli.local.home import Home
from phylon.cli.local.ports import HOST
from phylon.cli.local.process import Process
from phylon.cli.local.redis_server import plan_redis
from phylon.client import Client
from phylon.contract.health import Health
from phylon.errors import ApiError, PhylonUnreachable

SECONDS_TO_BE_READY = 60.0
SECONDS_FOR_A_CHECKPOINT = 90.0
SECONDS_TO_EXIT = 10.0
POLL_SECONDS = 0.2


class Platform:
    """`report` is called with each line that the user should see."""

    def __init__(self, home: Home, port: int, with_worker: bool, report: Callable[[str], None]) -> None:
        self.url = f"http://{HOST}:{port}"
        self._home = home
        self._report = report
        self._with_worker = with_worker
        self._processes: list[Process] = []
        self._environment = dict(os.environ) | {"PHYLON_HOME": str(home.path), "PHYLON_API_URL": self.url}
        self._environment.pop("PHYLON_PUBLIC_URL", None)  # one person on one machine needs no account
        self._port = port

    def start(self) -> None:
        """Returns when the service is healthy and the worker has reported. Raises `WorkFailed` with the reason."""
        if "PHYLON_REDIS_URL" not in os.environ:
            self._report("Starting Redis")
            server = plan_redis(self._home)
            if server.remark:
                self._report(server.remark)
            self._environment["PHYLON_REDIS_URL"] = server.url
            command = [server.executable, "-"]
            self._run(Process("redis", command, self._environment, self._log("redis"), stdin=server.configuration))
        self._migrate()
        self._report("Starting the service")
        self._run(self._module("service", "phylon.backend.serve", "--host", HOST, "--port", str(self._port)))
        with Client(self.url, timeout=5) as client:
            self._wait("the service to be healthy", lambda: _is_up(client.health()))
            if self._with_worker:
                self._report("Starting the worker")
                self._environment["PHYLON_ENROLMENT_CODE"] = self._run_once(
                    "phylon.backend.accounts.enrol", "no code could be made for the worker"
                )
                grace = f"--grace={SECONDS_FOR_A_CHECKPOINT - SECONDS_TO_EXIT:g}"
                self._run(self._module("worker", "phylon.worker.supervisor", grace, patience=SECONDS_FOR_A_CHECKPOINT))
                self._wait("the worker to report", lambda: any(worker.state != "lost" for worker in client.workers()))

    def restart_dead(self) -> None:
        """To be called periodically. Raises `WorkFailed` when a process keeps dying."""
        for process in self._processes:
            process.rotate_log()
            message = process.restart_if_dead()
            if message:
                self._report(message)
            if process.hopeless:
                raise WorkFailed(f"{process.name} keeps dying. {process.read_log_tail()}")

    def stop(self) -> None:
        """The worker first, so that it can give its run back while the service still listens."""
        for process in reversed(self._processes):
            process.stop()

    def kill(self) -> None:
        for process in reversed(self._processes):
            process.kill()

    def _migrate(self) -> None:
        self._report("Bringing the database up to date")
        printed = self._run_once("phylon.backend.migrate", "the database could not be migrated")
        *news, _ = printed.splitlines()  # where the database as it was is kept; the last line is for `migrate`
        for line in news:
            self._report(line)

    def _run_once(self, module: str, complaint: str) -> str:
        """What it prints."""
        command = [sys.executable, "-m", module]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WorkFailed(f"{complaint}:\n{done.stdout}{done.stderr}".rstrip())
        return done.stdout.strip()

    def _module(self, name: str, module: str, *arguments: str, patience: float = 10.0) -> Process:
        command = [sys.executable, "-m", module, *arguments]
        return Process(name, command, self._environment, self._log(name), patience=patience)

    def _log(self, name: str) -> Path:
        return self._home.logs / f"{name}.log"

    def _run(self, process: Process) -> None:
        self._processes.append(process)
        process.start()

    def _wait(self, what: str, ready: Callable[[], bool]) -> None:
        """Until `ready`. A process that dies meanwhile ends the waiting: at the start, restarting it would hide why."""
        deadline = time.monotonic() + SECONDS_TO_BE_READY
        while time.monotonic() < deadline:
            for process in self._processes:
                if process.exit_code() is not None:
                    raise WorkFailed(f"{process.name} died while starting. {process.read_log_tail()}")
            try:
                if ready():
                    return
            except (PhylonUnreachable, ApiError):
                pass
            time.sleep(POLL_SECONDS)
        newest = self._processes[-1]
        raise WorkFailed(f"waited {SECONDS_TO_BE_READY:g} s for {what} without success. {newest.read_log_tail()}")


def _is_up(health: Health) -> bool:
    """Even with little room on its disk: then work waits, and the page says why."""
    return health.database == health.redis == "ok"
