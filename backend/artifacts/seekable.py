"""An artifact that can be read anywhere, in a directory or a bucket: often a small part of a large file is wanted."""

import io

from phylon.backend.context import Context
from phylon.backend.models import Artifact

_AT_ONCE = 2**20


def open_artifact(context: Context, stored: Artifact) -> io.BufferedReader:
    return io.BufferedReader(_Stored(context, stored), _AT_ONCE)


class _Stored(io.RawIOBase):
    def __init__(self, context: Context, stored: Artifact) -> None:
        self._store, self._path, self._size, self._place = context.artifacts, stored.path, stored.bytes, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, start + offset)
        return self._place

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        end = min(self._size, self._place + len(buffer))
        content = b"".join(self._store.read(self._path, self._place, end)) if end > self._place else b""
        buffer[: len(content)] = content
        self._place += len(content)
        return len(content)
