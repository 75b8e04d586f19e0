"""The files of a path that a format reads, on the way to the service."""

from pathlib import Path, PurePosixPath
from typing import NamedTuple

from phylon.contract.imports import ImportFormat
from phylon.imports import formats
from phylon.imports.results import ImportRefused

MOST_BYTES = 45 * 2**20
"""Of the files of one import: with a third on top, as which they travel, still less than the service takes."""


class Collected(NamedTuple):
    """What becomes one experiment."""

    path: Path
    format: ImportFormat
    suffix: str | None
    """Tells it from the others where a path holds several."""
    files: dict[str, bytes]


def collect(path: Path, format: ImportFormat | None) -> list[Collected]:
    """Of a file or of a directory. SR-SAC's directories of several tasks are an experiment each."""
    if not path.exists():
        raise ImportRefused(f"there is nothing at {path}; name a file or a directory")
    root = path.resolve()
    found = [root] if root.is_file() else sorted(file for file in root.rglob("*") if file.is_file())
    by_name = {file.relative_to(root.parent).as_posix(): file for file in found}
    chosen = format or formats.recognise(list(by_name))
    wanted = formats.files_of(chosen, list(by_name))
    if not wanted:
        raise ImportRefused(f"{path} holds no file of the format {chosen.value}; leave the format to be recognised")
    folders = sorted({str(PurePosixPath(name).parent) for name in wanted})
    if chosen != ImportFormat.SR_SAC or len(folders) == 1:
        return [Collected(path, chosen, None, _read(wanted, by_name))]
    return [
        Collected(path, chosen, PurePosixPath(folder).name, _read(_in(wanted, folder), by_name)) for folder in folders
    ]


def collect_one(path: Path, format: ImportFormat | None) -> Collected:
    found = collect(path, format)
    if len(found) > 1:
        named = ", ".join(str(each.suffix) for each in found[:5])
        raise ImportRefused(f"{path} holds several tasks ({named}, …); import each directory by itself")
    return found[0]


def _in(names: list[str], folder: str) -> list[str]:
    return [name for name in names if str(PurePosixPath(name).parent) == folder]


def _read(names: list[str], by_name: dict[str, Path]) -> dict[str, bytes]:
    size = sum(by_name[name].stat().st_size for name in names)
    if size > MOST_BYTES:
        raise ImportRefused(
            f"these {len(names)} files have {size / 2**20:.0f} MB, more than the {MOST_BYTES // 2**20} MB of one "
            "import; import parts of them, or write the returns into a CSV file"
        )
    return {name: by_name[name].read_bytes() for name in names}
