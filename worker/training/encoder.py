"""Encodes frames as a video that every browser plays: VP9 in MP4.

VP9 because browsers without licensed codecs play it too; MP4 because more players support it than WebM. The same frames
give the same bytes. FFmpeg does the encoding, in a separate process.
"""

import subprocess
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

# Fast rather than small: half a minute at 320 pixels is a few hundred kilobytes, and encodes faster than it renders.
CODEC = "-c:v libvpx-vp9 -deadline realtime -cpu-used 6 -crf 34 -b:v 0 -pix_fmt yuv420p -threads 1"
# No encoder metadata in the file, and its index in front, so that playback starts before the download ends.
CONTAINER = "-fflags +bitexact -flags:v +bitexact -map_metadata -1 -movflags +faststart -f mp4"
END_SECONDS = 60.0


class EncodingFailed(RuntimeError):
    pass


class Encoder:
    """Frames [height, width, 3] of one size, `width` pixels wide in the video. Leaving the context completes the file.

    An exception within the context ends FFmpeg and leaves an unusable file.
    """

    def __init__(self, path: Path, size: tuple[int, int], width: int, frames_per_second: Fraction) -> None:
        height, frame_width = size
        # Games keep sharp pixels when they are enlarged.
        scaling = f"scale={width}:-2:flags={'neighbor' if width > frame_width else 'area'}"
        source = f"-f rawvideo -pix_fmt rgb24 -video_size {frame_width}x{height} -framerate {frames_per_second} -i -"
        words = f"-hide_banner -loglevel error -nostdin -y {source} -vf {scaling} {CODEC} {CONTAINER}"
        self._process = subprocess.Popen(
            [ffmpeg(), *words.split(), str(path)], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def add(self, frame: NDArray[np.uint8]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(frame).data)
        except BrokenPipeError:
            self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self._process.kill()
            self._process.communicate()
        else:
            self._finish()

    def _finish(self) -> None:
        try:
            _, stderr = self._process.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise EncodingFailed(f"ffmpeg did not end within {END_SECONDS:g} s") from None
        if self._process.returncode != 0:
            words = stderr.decode(errors="replace").strip()[-500:]
            raise EncodingFailed(f"ffmpeg exited with code {self._process.returncode}: {words}")


def ffmpeg() -> str:
    """The binary of the package imageio-ffmpeg, unless IMAGEIO_FFMPEG_EXE names another."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ModuleNotFoundError:
        raise EncodingFailed(
            "the package 'imageio-ffmpeg' is not installed here; install it with `pip install 'phylon[suites]'`"
        ) from None
    return get_ffmpeg_exe()
