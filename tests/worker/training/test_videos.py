"""Videos of members: they show what evaluation saw, change nothing else and never end a run."""

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phylon.contract.events import Finished, Video
from phylon.run_directory import checkpoints_dir, file_sha256, videos_dir
from phylon.spec import parse_spec
from phylon.spec.environment import EnvironmentSpec
from phylon.spec.videos import VideosSpec
from phylon.worker.training.encoder import ffmpeg
from phylon.worker.training.render_process import EpisodeStart, RenderingFailed, RenderProcess
from phylon.worker.training.videos import VideoRecorder

from .runs import frames_of, last_arrays, reproducible

VIDEOS = {"interval": 200, "members": [0, 1], "steps": 200, "every": 20, "width": 64}


@pytest.fixture
def filmed_spec(small_spec: dict[str, Any]) -> dict[str, Any]:
    """Two members, each judged by a single episode, so that the video and the fitness are of the same one."""
    small_spec["population"] = {"size": 2, "method": {"name": "independent"}}
    small_spec["evaluation"]["episodes"] = 1
    small_spec["budget"]["env_steps"] = 300
    return small_spec | {"videos": VIDEOS}


def videos_of(events) -> list[Video]:
    return [event for event in events if isinstance(event, Video)]


def decode(path: Path) -> np.ndarray:
    """[frames, height, width, 3]"""
    command = [ffmpeg(), "-loglevel", "error", "-i", str(path), "-f", "image2pipe", "-c:v", "ppm", "-"]
    pictures = subprocess.run(command, capture_output=True, check=True).stdout
    header = re.match(rb"P6\n(\d+) (\d+)\n255\n", pictures)
    assert header, pictures[:20]
    width, height = map(int, header.groups())
    size = len(header[0]) + 3 * width * height
    bytes_of_all = np.frombuffer(pictures, np.uint8).reshape(-1, size)
    return bytes_of_all[:, len(header[0]) :].reshape(-1, height, width, 3)


def files(run_dir: Path) -> list[str]:
    return sorted(path.name for path in videos_dir(run_dir).iterdir())


def test_a_run_with_videos(filmed_spec, train_here, tmp_path):
    events = train_here(filmed_spec)
    assert isinstance(events[-1], Finished)
    videos = videos_of(events)
    assert [(video.step, video.member, video.span) for video in videos] == [
        (step, member, member) for step in (200, 300) for member in (0, 1)
    ], "at each interval and at the end of the budget"
    fitness = frames_of(events, "evaluation/return")
    for video in videos:
        path = videos_dir(tmp_path / "run") / video.file
        assert (video.bytes, video.sha256) == (path.stat().st_size, file_sha256(path))
        assert (video.episode_steps, video.ended) == (200, True)
        assert video.episode_return == pytest.approx(fitness[video.step][video.member], rel=1e-6)
    frames = decode(videos_dir(tmp_path / "run") / videos[-1].file)
    assert frames.shape == (10, 64, 64, 3)  # steps 0, 20, …, 180; after step 200 another episode begins
    assert all((frame != frames[0]).any() for frame in frames[1:])
    assert frames_of(events, "time/video")[240][0] > 0
    assert frames_of(events, "time/compile")[240][0] == 0

    # Nothing else is different from a run without videos.
    plain = train_here({name: part for name, part in filmed_spec.items() if name != "videos"}, "plain")
    assert reproducible([event for event in events if not isinstance(event, Video)]) == reproducible(plain)
    expected, found = last_arrays(tmp_path / "plain"), last_arrays(tmp_path / "run")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)

    # Resumed at step 200: videos after it are removed, and those recorded again are the same.
    for file in checkpoints_dir(tmp_path / "run").glob("*15.*"):
        file.unlink()
    for name in ("step-000000400-member-1.mp4", "step-000000300-member-0.part"):
        (videos_dir(tmp_path / "run") / name).write_bytes(b"of a future that never was")
    again = train_here(filmed_spec)
    assert [event.step for event in again if event.kind == "started"] == [0, 200]
    assert [(video.file, video.sha256) for video in videos_of(again)] == [
        (video.file, video.sha256) for video in videos
    ]
    assert files(tmp_path / "run") == sorted(video.file for video in videos)


def test_failed_rendering_does_not_end_a_run(filmed_spec, train_here, monkeypatch, capsys):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", "/bin/false")
    filmed_spec["videos"] = VIDEOS | {"members": "all"}
    events = train_here(filmed_spec)
    assert isinstance(events[-1], Finished)
    assert videos_of(events) == []
    assert capsys.readouterr().out.count("no more videos: EncodingFailed: ffmpeg exited with code 1") == 1


def test_a_video_does_not_delay_a_stop(filmed_spec, tmp_path):
    spec = parse_spec(filmed_spec)
    assert spec.videos
    looks = iter([False, False, False, True])
    recorder = VideoRecorder(spec, spec.videos, tmp_path, range(spec.population.size))
    videos = recorder.record(
        lambda obs, step: np.zeros((2, 1, 1), np.float32), 0, [0, 1], 100, lambda: next(looks, True)
    )
    assert list(videos) == []
    assert not list(videos_dir(tmp_path).glob("*.mp4"))


def test_rendering_that_needs_opengl(tmp_path):
    """envpool's MuJoCo would end a process that has not loaded the right library in time."""
    environment = EnvironmentSpec(suite="envpool", id="CheetahRun-v1")
    renderer = RenderProcess(environment, VideosSpec(interval=1, width=64))
    obs = renderer.begin(EpisodeStart(seed=3, path=tmp_path / "film"))
    assert obs.shape == (17,)
    result = renderer.step(np.ones(6, np.float32))
    assert not result.ended and (result.obs != obs).any()
    renderer.finish()
    assert decode(tmp_path / "film").shape == (2, 64, 64, 3)
    renderer.close()


def test_the_death_of_the_rendering_process_is_reported(tmp_path):
    renderer = RenderProcess(EnvironmentSpec(suite="gymnasium", id="CartPole-v1"), VideosSpec(interval=1))
    renderer.begin(EpisodeStart(0, tmp_path / "film"))
    assert renderer._process.pid
    os.kill(renderer._process.pid, signal.SIGKILL)
    with pytest.raises(RenderingFailed, match="died with exit code -9"):
        for _ in range(100):
            renderer.step(np.int32(0))
    renderer.close()


def test_an_environment_that_cannot_be_rendered_has_no_video(tmp_path):
    renderer = RenderProcess(EnvironmentSpec(suite="probe", id="ActionReward-v0"), VideosSpec(interval=1))
    with pytest.raises(RenderingFailed, match="'ActionReward-v0' of suite 'probe' cannot be rendered here"):
        renderer.begin(EpisodeStart(0, tmp_path / "film"))
    renderer.close()
