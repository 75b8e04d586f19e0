"""Videos of members: each shows the first episode of the evaluation just made, or its beginning.

The environment is a separate one, and the policies act on the same shapes as in the evaluation, so a video costs the
run no random number, no step, and no compilation (except one, where evaluation is itself a compiled program).
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
from phylon.worker.training.render_process import EpisodeStart, RenderingFailed, RenderProcess

ActFn = Callable[[NDArray[Any], int], NDArray[Any]]
"""(observations [P, episodes, ...], step of the episode) -> actions [P, episodes, ...], as in the evaluation."""


class RecordedVideo(NamedTuple):
    """The fields of a `video` event."""

    member: int
    episode_return: float
    episode_steps: int
    ended: bool
    file: str
    bytes: int
    sha256: str


class VideoRecorder:
    """A failure is printed once and ends the recording of videos; the run goes on."""

    def __init__(self, spec: ExperimentSpec, videos: VideosSpec, run_dir: Path, here: range) -> None:
        """`here`: the members that can be filmed here."""
        self._environment, self._videos, self._run_dir = spec.environment, videos, run_dir
        self._here, self._shape = here, (len(here), spec.evaluation.episodes)
        self._renderer: RenderProcess | None = None
        self._has_failed = False

    def record(
        self, act: ActFn, seed: int, members: Iterable[int], step: int, is_interrupted: Callable[[], bool]
    ) -> Iterator[RecordedVideo]:
        """One after the other. When the run is asked to stop, the video in progress is dropped.

        `seed`: that of the first episode of the evaluation just made.
        """
        for member in members:
            if member not in self._here:
                continue
            if self._has_failed or is_interrupted():
                return
            try:
                video = self._record_member(act, seed, member, step, is_interrupted)
            except (RenderingFailed, OSError) as error:
                print(f"no more videos: {error}. Training goes on without them", flush=True)
                self._has_failed = True
                self.close()
                return
            if video is not None:
                yield video

    def close(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _record_member(
        self, act: ActFn, seed: int, member: int, step: int, is_interrupted: Callable[[], bool]
    ) -> RecordedVideo | None:
        if self._renderer is None:
            self._renderer = RenderProcess(self._environment, self._videos)
        folder = videos_dir(self._run_dir)
        folder.mkdir(exist_ok=True)
        path = folder / video_file(step, member)
        unfinished = path.with_suffix(".part")
        obs = self._renderer.begin(EpisodeStart(seed, unfinished))
        episode_return, steps, ended = 0.0, 0, False
        while steps < self._videos.steps and not ended:
            if is_interrupted():
                self.close()
                return None
            observations = np.broadcast_to(obs, (*self._shape, *obs.shape))
            result = self._renderer.step(act(observations, steps)[member - self._here.start, 0])
            obs, ended = result.obs, result.ended
            episode_return += result.reward
            steps += 1
        self._renderer.finish()
        sync(unfinished)
        os.replace(unfinished, path)
        sync(folder)
        return RecordedVideo(member, episode_return, steps, ended, path.name, path.stat().st_size, file_sha256(path))
