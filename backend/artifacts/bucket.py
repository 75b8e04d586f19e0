"""Artifacts in an S3-compatible bucket, by fsspec and s3fs. Credentials come from AWS' environment variables and files.

`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT_URL` and so on are read by the library; we never see them.
"""

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import urlsplit

from phylon.backend.artifacts.storage import Received, StoredFile
from phylon.backend.settings import SettingInvalid

_PART_BYTES = 8 << 20
"""S3 wants at least 5 MiB of every part of a file but the last."""


class Bucket:
    """An upload is a folder of objects, each named by the place of its first byte."""

    block_bytes = _PART_BYTES

    def __init__(self, url: str) -> None:
        self._files = _open_filesystem(url)
        parts = urlsplit(url)
        self._root = f"{parts.netloc}{parts.path}".rstrip("/")

    def received(self, upload: str) -> int:
        return sum(length for _, _, length in self._parts(upload))

    def write(self, upload: str, offset: int, data: bytes) -> None:
        self._files.pipe_file(f"{self._at(upload)}/{offset:015}", data)

    def digest(self, upload: str) -> Received:
        digest, size = hashlib.sha256(), 0
        for key, skipped, length in self._parts(upload):
            for chunk in self._read(key, skipped, skipped + length):
                digest.update(chunk)
            size += length
        return Received(size, digest.hexdigest())

    def keep(self, upload: str, path: str) -> None:
        """A multipart upload of what the parts hold: the object is there when the last call says so, or never."""
        file = self._files.open(self._at(path), "wb", block_size=_PART_BYTES, autocommit=False)
        try:
            for key, skipped, length in self._parts(upload):
                for chunk in self._read(key, skipped, skipped + length):
                    file.write(chunk)
            file.close()
            file.commit()
        except BaseException:
            file.discard()
            raise
        self.discard(upload)

    def discard(self, upload: str) -> None:
        self._remove(self._at(upload))

    def size(self, path: str) -> int | None:
        try:
            return int(self._files.info(self._at(path))["size"])
        except FileNotFoundError:
            return None

    def read(self, path: str, start: int, end: int) -> Iterator[bytes]:
        return self._read(self._at(path), start, end)

    def delete(self, paths: list[str]) -> None:
        for path in paths:
            self._remove(self._at(path))

    def delete_job(self, job_id: int) -> None:
        self._remove(self._at(str(job_id)))

    def jobs(self) -> list[int]:
        names = (key.rsplit("/", 1)[-1] for key in self._list(self._root))
        return sorted(int(name) for name in names if name.isdecimal())

    def files(self, job_id: int) -> list[StoredFile]:
        """Of an upload, its newest part counts."""
        newest: dict[str, datetime] = {}
        found = cast(dict[str, dict[str, Any]], self._files.find(self._at(str(job_id)), detail=True))
        for key, info in found.items():
            job, name = key.removeprefix(f"{self._root}/").split("/")[:2]
            modified = cast(datetime, info["LastModified"]).astimezone(UTC)
            path = f"{job}/{name}"
            newest[path] = max(modified, newest.get(path, modified))
        return [StoredFile(path, modified) for path, modified in newest.items()]

    def free_bytes(self) -> int | None:
        return None

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"

    def _parts(self, upload: str) -> list[tuple[str, int, int]]:
        """What makes up the upload without a gap: object, bytes of it that an earlier one has too, bytes after them."""
        found = cast(dict[str, dict[str, Any]], self._files.find(self._at(upload), detail=True))
        parts: list[tuple[str, int, int]] = []
        position = 0
        for key, info in sorted(found.items()):
            offset, size = int(key.rsplit("/", 1)[-1]), int(info["size"])
            if offset > position:
                break
            if offset + size > position:
                parts.append((key, position - offset, offset + size - position))
                position = offset + size
        return parts

    def _read(self, key: str, start: int, end: int) -> Iterator[bytes]:
        while start < end:
            stop = min(end, start + _PART_BYTES)
            yield cast(bytes, self._files.cat_file(key, start=start, end=stop))
            start = stop

    def _list(self, key: str) -> list[str]:
        try:
            return cast(list[str], self._files.ls(key, detail=False))
        except FileNotFoundError:
            return []

    def _remove(self, key: str) -> None:
        found = cast(list[str], self._files.find(key))
        if found:
            self._files.rm(found)


def _open_filesystem(url: str) -> Any:
    """Without a cache of listings: other processes write there too."""
    if not re.fullmatch(r"s3://[^/@\s]+(/[^@\s]*)?", url):
        shown = re.sub(r"//[^/]*@", "//…@", url)
        raise SettingInvalid(
            f"PHYLON_ARTIFACTS={shown!r} is neither a directory nor an address such as s3://bucket/prefix; credentials "
            "belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    import fsspec  # pyright: ignore[reportMissingTypeStubs]

    try:
        return fsspec.filesystem("s3", use_listings_cache=False)  # pyright: ignore[reportUnknownMemberType]
    except ImportError:
        raise SettingInvalid(f"PHYLON_ARTIFACTS={url!r} needs s3fs: pip install 'phylon[s3]'.") from None
