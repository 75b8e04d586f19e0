"""One environment to look at, in a process of its own, which draws it and writes the film.

Graphics libraries end their whole process when something displeases them. Here that costs a film, and never the run.
"""

import itertools
import multiprocessing
import os
import signal
from fractions import Fraction
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.spec.environment import EnvironmentSpec
from phylon.spec.videos import VideosSpec
from phylon.worker.environments import Renderer, make_renderer
from phylon.worker.training.encoder import Encoder

PATIENCE_SECONDS = 300.0
"""An answer may take as long as an environment of JAX takes to compile."""

# Nothing is inherited: JAX's threads would not survive a fork.
CONTEXT = multiprocessing.get_context("spawn")


class CameraFailed(RuntimeError):
    """There will be no film; the message says why."""


class Take(NamedTuple):
    """What begins a film."""

    seed: int
    path: Path


class Shot(NamedTuple):
    """Where a step led to."""

    obs: NDArray[Any]
    reward: float
    ended: bool


class Trouble(NamedTuple):
    """What the process says instead of an answer, before it ends."""

    reason: str


class Camera:
    """For each film: `begin`, `step` while the episode goes on, `cut`. After a `CameraFailed` only `close` is left."""

    def __init__(self, environment: EnvironmentSpec, videos: VideosSpec) -> None:
        self._connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=_serve, args=(environment, videos, theirs), name="camera", daemon=True)
        self._process.start()
        theirs.close()  # so that our end sees it when the process dies

    def begin(self, take: Take) -> NDArray[Any]:
        """The first observation."""
        return self._ask(take)

    def step(self, action: NDArray[Any]) -> Shot:
        return self._ask(action)

    def cut(self) -> None:
        """The film is complete."""
        self._ask(None)

    def close(self) -> None:
        self._connection.close()
        self._process.kill()  # it holds nothing that is worth waiting for
        self._process.join()

    def _ask(self, question: Take | NDArray[Any] | None) -> Any:
        try:
            self._connection.send(question)
            if not self._connection.poll(PATIENCE_SECONDS):
                raise CameraFailed(f"the process that draws has not answered for {PATIENCE_SECONDS:g} s")
            answer = self._connection.recv()
        except (EOFError, OSError):
            self._process.join(PATIENCE_SECONDS)
            raise CameraFailed(f"the process that draws died with exit code {self._process.exitcode}") from None
        if isinstance(answer, Trouble):
            raise CameraFailed(answer.reason)
        return answer


def _serve(environment: EnvironmentSpec, videos: VideosSpec, connection: Connection) -> None:
    """The life of the process: it ends with the pipe, thus also when the trainer is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the trainer
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # a GPU's memory is the trainer's
    try:
        renderer: Renderer | None = None
        while True:
            take: Take = connection.recv()
            renderer = renderer or make_renderer(environment)
            if renderer is None:
                raise CameraFailed(f"'{environment.id}' of suite '{environment.suite}' cannot be drawn here")
            _film(renderer, videos, take, connection)
    except (EOFError, ConnectionError):
        pass  # the trainer is gone
    except Exception as error:  # each library fails in its own way
        name = "" if isinstance(error, CameraFailed) else f"{type(error).__name__}: "
        connection.send(Trouble(f"{name}{error}"))


def _film(renderer: Renderer, videos: VideosSpec, take: Take, connection: Connection) -> None:
    obs = renderer.environments.reset(np.array([take.seed]))
    frame = renderer.frame()
    height, width, _ = frame.shape
    rate = Fraction(renderer.frames_per_second, videos.every)
    with Encoder(take.path, (height, width), videos.width, rate) as encoder:
        encoder.add(frame)
        connection.send(obs[0])
        for step in itertools.count(1):
            action = connection.recv()
            if action is None:
                break
            result = renderer.environments.step(action[None])
            ended = bool(result.terminated[0] or result.truncated[0])
            if step % videos.every == 0 and not ended:  # after the last step the next episode would be seen
                encoder.add(renderer.frame())
            connection.send(Shot(result.obs[0], float(result.reward[0]), ended))
    connection.send(None)
