"""The folder of a study: `spec.json` says what to measure, `study.jsonl` what was found. It needs no framework."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path

from phylon import study
from phylon.spec import RuntimeStudySpec, parse_study
from phylon.study import Machine


class FolderRefused(RuntimeError):
    """The study cannot go on in this folder; the text says why and what to do."""


def read_spec(folder: Path) -> RuntimeStudySpec:
    """Raises `SpecInvalid`."""
    return parse_study(json.loads((folder / study.SPEC_FILE).read_text(encoding="utf-8")))


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time: two would disturb each other's numbers."""
    with (folder / "lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderRefused(f"another process runs the study in {folder}; wait for it, or end it") from None
        yield


def open_study(folder: Path, spec: RuntimeStudySpec, machine: Machine) -> None:
    """Begins the study's file, or makes sure that what it holds can be gone on with."""
    file = folder / study.STUDY_FILE
    try:
        held = study.read(file)
    except FileNotFoundError:
        study.begin(file, spec, machine)
        return
    except study.StudyDamaged as error:
        raise FolderRefused(f"{error}; remove the file, or choose another folder") from None
    if held.spec != spec:
        raise FolderRefused(f"{file} holds another study; choose another folder")
    if held.machine != machine:
        names = [name for name in Machine.model_fields if getattr(held.machine, name) != getattr(machine, name)]
        raise FolderRefused(
            f"{file} was measured on another machine or with other versions ({', '.join(names)} differ), and numbers "
            "of both cannot be compared; choose another folder"
        )


def exit_when_alone(source_descriptor: int) -> None:
    """Blocks until the launcher closes our standard input, then leaves at once. Cells end with us."""
    while os.read(source_descriptor, 1024):
        pass
    os._exit(76)
