"""A backup as a file: a tar archive whose last members are its manifest and the manifest's hash.

Whatever was cut off or changed on the way is noticed, because a file without its end has no manifest, and the manifest
has the hash of every other part. Tables are compressed JSON lines; artifacts are stored as they are, since checkpoints
and videos are compressed already. Anyone can read one with `tar` and `zcat`.
"""

import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from phylon.backend.backup.tables import Kind
from phylon.backend.kit.errors import PlatformError

_MANIFEST, _MANIFEST_HASH = "manifest.json", "manifest.sha256"
_LARGEST_MANIFEST = 1 << 30
_CHUNK = 1 << 20
PRIVATE = 0o600
"""A backup holds hashes of passwords and the secrets of workers."""


class BackupUnusable(PlatformError):
    """The file is no backup, or not a whole one."""

    def __init__(self, file: Path, reason: str) -> None:
        super().__init__(
            f"{file} cannot be restored: {reason}. Nothing was changed.",
            "Fetch the file again from where it was copied, or take another backup.",
        )


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(_Model):
    name: str
    bytes: int
    sha256: str


class TableEntry(_Model):
    name: str
    columns: dict[str, Kind]
    rows: int


class Manifest(_Model):
    format: Literal[1] = 1
    phylon: str
    """The release that wrote it."""
    revision: str
    """Of the schema."""
    database: str
    created_at: datetime
    tables: list[TableEntry]
    """Each behind all that it refers to."""
    numbers: dict[str, int]
    """The highest that a table ever gave to a row."""
    artifacts: list[str] | None
    """Their paths; None where they were left out."""
    missing: list[str]
    """Artifacts that the database names and that were not there."""
    damaged: list[str]
    """Artifacts that are here as they were found, with another hash than the database says."""
    settings: list[str]
    """Names of files of the home directory."""
    parts: list[Part]


def table_part(name: str) -> str:
    return f"tables/{name}.jsonl.gz"


def artifact_part(path: str) -> str:
    return f"artifacts/{path}"


def settings_part(name: str) -> str:
    return f"settings/{name}"


class _Hashed(io.RawIOBase):
    """Reads on, and knows the hash of what was read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self.digest.update(data)
        return data


class Writer:
    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.parts: list[Part] = []

    def add(self, name: str, stream: IO[bytes]) -> str:
        """From the stream's beginning to its end; the hash."""
        member = tarfile.TarInfo(name)
        member.size = stream.seek(0, os.SEEK_END)
        member.mode = PRIVATE
        stream.seek(0)
        hashed = _Hashed(stream)
        self._tar.addfile(member, hashed)
        self.parts.append(Part(name=name, bytes=member.size, sha256=hashed.digest.hexdigest()))
        return self.parts[-1].sha256

    def finish(self, manifest: Manifest) -> None:
        text = manifest.model_dump_json(indent=1).encode()
        self.add(_MANIFEST, io.BytesIO(text))
        self.add(_MANIFEST_HASH, io.BytesIO(hashlib.sha256(text).hexdigest().encode()))


@contextmanager
def create(file: Path) -> Generator[Writer]:
    """The file appears under its name when it is whole and safe on the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", suffix=".part", delete=False) as handle:
        part = Path(handle.name)  # readable by its owner alone
        try:
            with tarfile.open(fileobj=handle, mode="w", format=tarfile.PAX_FORMAT) as tar:
                yield Writer(tar)
            handle.flush()
            os.fsync(handle.fileno())
            part.replace(file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


class Reader:
    """Of a file whose parts were all found as its manifest says."""

    def __init__(self, tar: tarfile.TarFile, members: dict[str, tarfile.TarInfo], manifest: Manifest) -> None:
        self._tar = tar
        self._members = members
        self.manifest = manifest

    def open(self, part: str) -> IO[bytes]:
        stream = self._tar.extractfile(self._members[part])
        assert stream is not None
        return stream


@contextmanager
def open_checked(file: Path) -> Generator[Reader]:
    """Raises `BackupUnusable` unless every byte that will be read is the one that was written."""
    try:
        tar = tarfile.open(file)  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise BackupUnusable(file, "there is no such file") from None
    except (tarfile.TarError, OSError) as error:
        raise BackupUnusable(file, f"it is no backup of Phylon ({error})") from None
    with tar:
        try:
            members = {member.name: member for member in tar if member.isreg()}
            manifest = _manifest(tar, members)
            damage = next(_damages(tar, members, manifest), None)
        except (tarfile.TarError, OSError, EOFError, ValidationError, KeyError) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BackupUnusable(file, f"it is damaged or cut off ({first})") from None
        if damage:
            raise BackupUnusable(file, damage)
        yield Reader(tar, members, manifest)


def _manifest(tar: tarfile.TarFile, members: dict[str, tarfile.TarInfo]) -> Manifest:
    if _MANIFEST not in members or _MANIFEST_HASH not in members:
        raise tarfile.ReadError("it has no manifest, which is written last")
    if members[_MANIFEST].size > _LARGEST_MANIFEST:
        raise tarfile.ReadError("its manifest is too large")
    text, digest = (_content(tar, members[name]) for name in (_MANIFEST, _MANIFEST_HASH))
    if hashlib.sha256(text).hexdigest().encode() != digest:
        raise tarfile.ReadError("its manifest was changed")
    return Manifest.model_validate_json(text)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = tar.extractfile(member)
    assert stream is not None
    return stream.read()


def _damages(tar: tarfile.TarFile, members: dict[str, tarfile.TarInfo], manifest: Manifest) -> Iterator[str]:
    promised = [table_part(table.name) for table in manifest.tables]
    promised += [artifact_part(path) for path in manifest.artifacts or []]
    promised += [settings_part(name) for name in manifest.settings]
    if set(promised) != {part.name for part in manifest.parts}:
        yield "its manifest contradicts itself"
    for part in manifest.parts:
        if not is_inside(part.name):
            yield f"its part {part.name} leads out of it"
        elif part.name not in members:
            yield f"its part {part.name} is missing"
        elif _sha256(tar, members[part.name]) != part.sha256:
            yield f"its part {part.name} is damaged"


def is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in name


def _sha256(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    stream, digest = tar.extractfile(member), hashlib.sha256()
    assert stream is not None
    while data := stream.read(_CHUNK):
        digest.update(data)
    return digest.hexdigest()
