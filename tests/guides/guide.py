"""Follows a guide as a newcomer does: its files are written and its commands typed, from top to bottom.

A block ```` ```python a/file.py ```` is a file, ```` ```sh ```` has commands, and ```` ```sh service ```` one that runs
in another terminal until the guide ends.
"""

import contextlib
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.conftest import users_environment

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = 900
"""Only ends a test that hangs."""


def follow(name: str, folder: Path, programs: Mapping[str, Sequence[str | Path]]) -> dict[str, str]:
    """What was printed, by program and first argument. `programs`: what each first word of a command stands for."""
    outputs: dict[str, str] = {}
    environment = users_environment() | {"JAX_PLATFORMS": "cpu", "COLUMNS": "200"}
    with contextlib.ExitStack() as services:
        for kind, file, text in BLOCK.findall((GUIDES / name).read_text(encoding="utf-8")):
            if kind == "sh" and file == "service":
                command = _command(programs, text.strip())
                environment["PHYLON_API_URL"] = services.enter_context(_service(command, folder, environment))
            elif kind == "sh":
                for line in text.splitlines():
                    program, first, *_ = shlex.split(line)
                    outputs[f"{program} {first}"] = _run(line, _command(programs, line), folder, environment)
            else:
                (folder / file).parent.mkdir(exist_ok=True)
                (folder / file).write_text(text, encoding="utf-8")
    return outputs


def _command(programs: Mapping[str, Sequence[str | Path]], line: str) -> list[str]:
    program, *arguments = shlex.split(line)
    return [*map(str, programs[program]), *arguments]


def _run(line: str, command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextlib.contextmanager
def _service(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Its address."""
    log = folder / "service.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            assert process.stdout
            line = process.stdout.readline()  # it comes up within a minute or ends by itself
            address = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert address, line + log.read_text()
            yield address.group(0)
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0, log.read_text()
        finally:
            process.kill()
