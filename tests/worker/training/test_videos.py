"""Films of members: real ones, of what evaluation saw, that change nothing else and never end a run."""

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
from phylon.worker.training.camera import Camera, CameraFailed, Take
from phylon.worker.training.encoder import ffmpeg
from phylon.worker.training.studio import Studio

from .runs import frames_of, last_arrays, reproducible

VIDEOS = {"interval": 200, "members": [0, 1], "steps": 200, "every": 20, "width": 64}


@pytest.fixture
def filmed_spec(small_spec: dict[str, Any]) -> dict[str, Any]:
    """Two members, each judged by a single episode, so that the film and the fitness tell of the same one."""
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

    # Taken up from step 200: the future that is cut off leaves no film behind, and what is filmed again is the same.
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


def test_what_cannot_be_filmed_does_not_end_a_run(filmed_spec, train_here, monkeypatch, capsys):
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", "/bin/false")
    filmed_spec["videos"] = VIDEOS | {"members": "all"}
    events = train_here(filmed_spec)
    assert isinstance(events[-1], Finished)
    assert videos_of(events) == []
    assert capsys.readouterr().out.count("no more videos: EncodingFailed: ffmpeg exited with code 1") == 1


def test_an_order_to_stop_is_not_kept_waiting_by_a_film(filmed_spec, tmp_path):
    spec = parse_spec(filmed_spec)
    assert spec.videos
    looks = iter([False, False, False, True])
    studio = Studio(spec, spec.videos, 0, tmp_path)
    films = studio.films(lambda obs: np.zeros((2, 1, 1), np.float32), [0, 1], 100, lambda: next(looks, True))
    assert list(films) == []
    assert not list(videos_dir(tmp_path).glob("*.mp4"))


def test_a_camera_for_what_draws_with_opengl_only(tmp_path):
    """envpool's MuJoCo would end a process that has not loaded the right library in time."""
    environment = EnvironmentSpec(suite="envpool", id="CheetahRun-v1")
    camera = Camera(environment, VideosSpec(interval=1, width=64))
    obs = camera.begin(Take(seed=3, path=tmp_path / "film"))
    assert obs.shape == (17,)
    shot = camera.step(np.ones(6, np.float32))
    assert not shot.ended and (shot.obs != obs).any()
    camera.cut()
    assert decode(tmp_path / "film").shape == (2, 64, 64, 3)
    camera.close()


def test_the_death_of_the_process_that_draws_is_told(tmp_path):
    camera = Camera(EnvironmentSpec(suite="gymnasium", id="CartPole-v1"), VideosSpec(interval=1))
    camera.begin(Take(0, tmp_path / "film"))
    assert camera._process.pid
    os.kill(camera._process.pid, signal.SIGKILL)
    with pytest.raises(CameraFailed, match="died with exit code -9"):
        for _ in range(100):
            camera.step(np.int32(0))
    camera.close()


def test_without_looks_there_is_no_film(tmp_path):
    camera = Camera(EnvironmentSpec(suite="probe", id="ActionReward-v0"), VideosSpec(interval=1))
    with pytest.raises(CameraFailed, match="'ActionReward-v0' of suite 'probe' cannot be drawn here"):
        camera.begin(Take(0, tmp_path / "film"))
    camera.close()
