"""What a runtime study found, and the file that holds it: `study.jsonl`, a header and then a line for each cell.

Lines are only ever appended, so a study that was killed goes on where it stood; a line that was cut short is not there.
"""

import json
import os
import statistics
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from phylon.contract.studies import CellStatus, Machine, Measurement
from phylon.spec.distributions import Model
from phylon.spec.runtime_study import RuntimeStudySpec, StudyCell

STUDY_FILE = "study.jsonl"
SPEC_FILE = "spec.json"
"""Beside it, written by the launcher: what is to be measured."""


class Study(Model):
    """A study as far as it has come."""

    spec: RuntimeStudySpec
    machine: Machine
    measurements: tuple[Measurement, ...]


class StudyDamaged(ValueError):
    """The file is not what `phylon study` writes."""


def measured(
    cell: StudyCell,
    milliseconds: Sequence[float],
    calls: int,
    compile_seconds: float,
    peak_memory_bytes: int | None,
    processes: int,
    note: str | None,
) -> Measurement:
    low, median, high = statistics.quantiles(milliseconds, n=4, method="inclusive")
    return Measurement(
        **cell.model_dump(),
        status="ok",
        reason=None,
        milliseconds=tuple(milliseconds),
        median=median,
        low=low,
        high=high,
        calls=calls,
        compile_seconds=compile_seconds,
        peak_memory_bytes=peak_memory_bytes,
        processes=processes,
        note=note,
    )


def unmeasured(cell: StudyCell, status: CellStatus, reason: str) -> Measurement:
    return Measurement(
        **cell.model_dump(),
        status=status,
        reason=reason[:2000],
        milliseconds=(),
        median=None,
        low=None,
        high=None,
        calls=0,
        compile_seconds=None,
        peak_memory_bytes=None,
        processes=0,
        note=None,
    )


def cell_of(measurement: Measurement) -> StudyCell:
    return StudyCell.model_validate({name: getattr(measurement, name) for name in StudyCell.model_fields})


def begin(file: Path, spec: RuntimeStudySpec, machine: Machine) -> None:
    """The file with nothing measured yet."""
    header = {"spec": spec.model_dump(mode="json"), "machine": machine.model_dump(mode="json")}
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(header) + "\n", encoding="utf-8")
    os.replace(partial, file)


def append(file: Path, measurements: Sequence[Measurement]) -> None:
    """All of them or none: contenders for the same work belong together."""
    text = "".join(f"{measurement.model_dump_json()}\n" for measurement in measurements)
    with file.open("r+b") as handle:
        content = handle.read()
        handle.seek(content.rfind(b"\n") + 1)  # over half a line that a kill left
        handle.truncate()
        handle.write(text.encode())
        handle.flush()
        os.fsync(handle.fileno())


def read(file: Path) -> Study:
    """Raises `FileNotFoundError`, and `StudyDamaged` where a complete line cannot be understood."""
    return parse(file.read_bytes(), str(file))


def parse(content: bytes, name: str = STUDY_FILE) -> Study:
    lines = content[: content.rfind(b"\n") + 1].splitlines()
    if not lines:
        raise StudyDamaged(f"{name} has no complete line; it should begin with the spec and the machine of a study")
    number = 1
    try:
        header = _Header.model_validate_json(lines[0])
        measurements: list[Measurement] = []
        for line in lines[1:]:
            number += 1
            measurements.append(Measurement.model_validate_json(line))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise StudyDamaged(f"{name} line {number} is not what a study writes: {where}: {first['msg']}") from None
    return Study(spec=header.spec, machine=header.machine, measurements=tuple(measurements))


class _Header(Model):
    spec: RuntimeStudySpec
    machine: Machine
