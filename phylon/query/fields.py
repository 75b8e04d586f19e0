"""What a query may ask about and a table may show: columns of an experiment, and every value of its spec."""

import difflib
import re
from typing import Literal, NamedTuple

from phylon.contract.vocabulary import ExperimentStatus

Kind = Literal["text", "number", "time", "flag", "tag", "status", "spec", "metric"]


class Field(NamedTuple):
    name: str
    kind: Kind
    meaning: str
    other_name: str | None = None


SPEC_PREFIX = "spec."
METRIC_PREFIX = "metric."
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*")
_METRIC = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_/.-]{0,199}")

FIELDS = (
    Field("name", "text", "Its name"),
    Field("status", "status", f"One of {', '.join(ExperimentStatus)}"),
    Field("environment", "text", "Id of its environment", "env"),
    Field("suite", "text", "Where the environment is from"),
    Field("algorithm", "text", "What trains its members"),
    Field("method", "text", "How its population evolves"),
    Field("population", "number", "Members of one population"),
    Field("replicates", "number", "How many runs it has"),
    Field("final", "number", "Return of the winner in episodes that no selection saw, mean over runs"),
    Field("last", "number", "Return of the best member at the last evaluation in training"),
    Field("best", "number", "Return of the best member at any evaluation in training"),
    Field("progress", "number", "Percent of its budget that is spent"),
    Field("tag", "tag", "One of its tags"),
    Field("star", "flag", "Whether you have starred it"),
    Field("archived", "flag", "Whether it is archived; those that are show up only where a query says so"),
    Field("created", "time", "When it was submitted: a date, or 7d for seven days ago"),
    Field("ended", "time", "When the last of its runs ended"),
    Field("owner", "text", "Who submitted it"),
    Field("project", "text", "Which project it belongs to"),
    Field("group", "text", "The group with which it was submitted"),
    Field("imported", "text", "Format of the files that it was imported from; none for what was trained here"),
    Field("notes", "text", "What is written in its notes"),
    Field("error", "text", "Why a run of it failed"),
    Field("id", "number", "Its number"),
)
_BY_NAME = {field.name: field for field in FIELDS} | {field.other_name: field for field in FIELDS if field.other_name}


class FieldUnknown(ValueError):
    def __init__(self, name: str) -> None:
        close = difflib.get_close_matches(name.lower(), [*_BY_NAME], 1)
        meant = f"did you mean {close[0]}? " if close else ""
        self.message = f"there is no field '{name}'"
        names = ", ".join(field.name for field in FIELDS)
        self.remedy = f"{meant}Use one of {names}, or a path of the spec such as algorithm.batch_size"
        super().__init__(f"{self.message}; {self.remedy}")


def find_field(name: str) -> Field:
    """A column; or, for a dotted name, a value of the spec, with or without `spec.` before it; or a metric's newest
    value. Raises `FieldUnknown`."""
    known = _BY_NAME.get(name.lower())
    if known is not None:
        return known
    if name.startswith(METRIC_PREFIX) and _METRIC.fullmatch(name.removeprefix(METRIC_PREFIX)):
        return Field(name, "metric", "Its newest value, mean over members and runs")
    path = name.removeprefix(SPEC_PREFIX)
    if _PATH.fullmatch(path) and ("." in path or path != name):
        return Field(SPEC_PREFIX + path, "spec", "A value of the spec")
    raise FieldUnknown(name)
