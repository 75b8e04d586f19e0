"""Films of members: each shows the first episode of the evaluation just done, or its beginning.

The environment is one of its own, and the policies act on the same shapes as in the evaluation, so a film takes nothing
from the run: no random number, no step, and no compilation but one, where evaluation is a program of its own.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.run_directory import file_sha256, sync, video_file, videos_dir
from phylon.spec import ExperimentSpec
from phylon.spec.videos import VideosSpec
from phylon.worker.training.camera import Camera, CameraFailed, Take
from phylon.worker.training.randomness import environment_seeds

ActFn = Callable[[NDArray[Any]], NDArray[Any]]
"""Observations [P, episodes, ...] -> actions [P, episodes, ...], without noise."""


class Film(NamedTuple):
    """What a `video` event says of it."""

    member: int
    episode_return: float
    episode_steps: int
    ended: bool
    file: str
    bytes: int
    sha256: str


class Studio:
    """Whatever goes wrong in it is said once, and there are no more films; the run goes on."""

    def __init__(self, spec: ExperimentSpec, videos: VideosSpec, seed: int, run_dir: Path) -> None:
        self._environment, self._videos, self._run_dir = spec.environment, videos, run_dir
        self._shape = (spec.population.size, spec.evaluation.episodes)
        self._seed = int(environment_seeds(seed, "evaluation", 0, spec.evaluation.episodes)[0])
        self._camera: Camera | None = None
        self._has_failed = False

    def films(
        self, act: ActFn, members: Iterable[int], step: int, is_interrupted: Callable[[], bool]
    ) -> Iterator[Film]:
        """One after the other. When the run is asked to stop, the film that stands in the way is dropped."""
        for member in members:
            if self._has_failed or is_interrupted():
                return
            try:
                film = self._film(act, member, step, is_interrupted)
            except (CameraFailed, OSError) as error:
                print(f"no more videos: {error}. Training goes on without them", flush=True)
                self._has_failed = True
                self.close()
                return
            if film is not None:
                yield film

    def close(self) -> None:
        if self._camera is not None:
            self._camera.close()
            self._camera = None

    def _film(self, act: ActFn, member: int, step: int, is_interrupted: Callable[[], bool]) -> Film | None:
        if self._camera is None:
            self._camera = Camera(self._environment, self._videos)
        folder = videos_dir(self._run_dir)
        folder.mkdir(exist_ok=True)
        path = folder / video_file(step, member)
        unfinished = path.with_suffix(".part")
        obs = self._camera.begin(Take(self._seed, unfinished))
        episode_return, steps, ended = 0.0, 0, False
        while steps < self._videos.steps and not ended:
            if is_interrupted():
                self.close()
                return None
            seen = np.broadcast_to(obs, (*self._shape, *obs.shape))
            shot = self._camera.step(act(seen)[member, 0])
            obs, ended = shot.obs, shot.ended
            episode_return += shot.reward
            steps += 1
        self._camera.cut()
        sync(unfinished)
        os.replace(unfinished, path)
        sync(folder)
        return Film(member, episode_return, steps, ended, path.name, path.stat().st_size, file_sha256(path))
