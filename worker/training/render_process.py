"""A process that steps one environment, renders it and writes the video.

Graphics libraries may abort the whole process on an error. Here that costs a video, never the run.
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
"""An answer may take as long as a JAX environment takes to compile."""

# Nothing is inherited: JAX's threads would not survive a fork.
CONTEXT = multiprocessing.get_context("spawn")


class RenderingFailed(RuntimeError):
    """There will be no video; the message says why."""


class EpisodeStart(NamedTuple):
    """Sent to begin a video."""

    seed: int
    path: Path


class RenderedStep(NamedTuple):
    """The result of a step."""

    obs: NDArray[Any]
    reward: float
    ended: bool


class Failure(NamedTuple):
    """Sent in place of an answer, before the process ends."""

    reason: str


class RenderProcess:
    """For each video: `begin`, `step` while the episode runs, `finish`. After `RenderingFailed` call only `close`."""

    def __init__(self, environment: EnvironmentSpec, videos: VideosSpec) -> None:
        self._connection, theirs = CONTEXT.Pipe()
        self._process = CONTEXT.Process(target=_serve, args=(environment, videos, theirs), name="renderer", daemon=True)
        self._process.start()
        theirs.close()  # so that our end sees it when the process dies

    def begin(self, start: EpisodeStart) -> NDArray[Any]:
        """The first observation."""
        return self._ask(start)

    def step(self, action: NDArray[Any]) -> RenderedStep:
        return self._ask(action)

    def finish(self) -> None:
        """The video is complete."""
        self._ask(None)

    def close(self) -> None:
        self._connection.close()
        self._process.kill()  # it holds nothing that is worth waiting for
        self._process.join()

    def _ask(self, question: EpisodeStart | NDArray[Any] | None) -> Any:
        try:
            self._connection.send(question)
            if not self._connection.poll(PATIENCE_SECONDS):
                raise RenderingFailed(f"the rendering process has not answered for {PATIENCE_SECONDS:g} s")
            answer = self._connection.recv()
        except (EOFError, OSError):
            self._process.join(PATIENCE_SECONDS)
            raise RenderingFailed(f"the rendering process died with exit code {self._process.exitcode}") from None
        if isinstance(answer, Failure):
            raise RenderingFailed(answer.reason)
        return answer


def _serve(environment: EnvironmentSpec, videos: VideosSpec, connection: Connection) -> None:
    """The main function of the process: it ends with the pipe, so also when the trainer is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the trainer
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # a GPU's memory is the trainer's
    try:
        renderer: Renderer | None = None
        while True:
            start: EpisodeStart = connection.recv()
            renderer = renderer or make_renderer(environment)
            if renderer is None:
                raise RenderingFailed(f"'{environment.id}' of suite '{environment.suite}' cannot be rendered here")
            _record_episode(renderer, videos, start, connection)
    except (EOFError, ConnectionError):
        pass  # the trainer is gone
    except Exception as error:  # each library fails in its own way
        name = "" if isinstance(error, RenderingFailed) else f"{type(error).__name__}: "
        connection.send(Failure(f"{name}{error}"))


def _record_episode(renderer: Renderer, videos: VideosSpec, start: EpisodeStart, connection: Connection) -> None:
    obs = renderer.environments.reset(np.array([start.seed]))
    frame = renderer.frame()
    height, width, _ = frame.shape
    rate = Fraction(renderer.frames_per_second, videos.every)
    with Encoder(start.path, (height, width), videos.width, rate) as encoder:
        encoder.add(frame)
        connection.send(obs[0])
        for step in itertools.count(1):
            action = connection.recv()
            if action is None:
                break
            result = renderer.environments.step(action[None])
            ended = bool(result.terminated[0] or result.truncated[0])
            if step % videos.every == 0 and not ended:  # after the last step the frame would show the next episode
                encoder.add(renderer.frame())
            connection.send(RenderedStep(result.obs[0], float(result.reward[0]), ended))
    connection.send(None)
