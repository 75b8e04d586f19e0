"""The folder of a study, as `phylon.job_folder` says, with `study.jsonl`: what was found (see `phylon.study`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from phylon import study
from phylon.job_folder import JobRequest
from phylon.spec import RuntimeStudySpec
from phylon.study import Machine, Measurement, cell_of


class StudyRequest(JobRequest):
    spec: dict[str, Any]
    machine: Machine | None
    measurements: list[Measurement]
    """What was reported already, measured on that machine."""
    if_other_machine: Literal["refuse", "start over"]
    """What becomes of cells in the folder that came from another machine: a person's are kept from being mixed up."""


class FolderRefused(RuntimeError):
    """The study cannot go on in this folder; the text says why and what to do."""


def open_study(folder: Path, spec: RuntimeStudySpec, machine: Machine, request: StudyRequest) -> list[Measurement]:
    """The study's file then holds every cell that this machine has measured. Returns those that were not reported."""
    file = folder / study.STUDY_FILE
    if not _goes_on(file, spec, machine, request):
        study.begin(file, spec, machine)
    reported = request.measurements if request.machine == machine else []
    held = study.read(file).measurements
    study.append(file, _without(reported, held))
    return _without(held, reported)


def _without(measurements: Sequence[Measurement], others: Sequence[Measurement]) -> list[Measurement]:
    """Those whose cell none of the others measured."""
    cells = {cell_of(other).model_dump_json() for other in others}
    return [measurement for measurement in measurements if cell_of(measurement).model_dump_json() not in cells]


def _goes_on(file: Path, spec: RuntimeStudySpec, machine: Machine, request: StudyRequest) -> bool:
    """Whether the file is of this study and this machine."""
    try:
        held = study.read(file)
    except FileNotFoundError:
        return False
    except study.StudyDamaged as error:
        difference = str(error)
    else:
        if held.spec == spec and held.machine == machine:
            return True
        names = [name for name in Machine.model_fields if getattr(held.machine, name) != getattr(machine, name)]
        difference = f"{file} holds another study"
        if held.spec == spec:
            difference = f"{file} was measured on another machine or with other versions ({', '.join(names)} differ)"
    if request.if_other_machine == "refuse":
        raise FolderRefused(f"{difference}; choose another folder")
    return False
