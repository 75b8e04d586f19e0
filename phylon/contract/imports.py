"""Results from elsewhere: what is sent, and what is kept of where they are from."""

from enum import StrEnum
from typing import Annotated

from pydantic import Base64Bytes, Field, StringConstraints

from phylon.contract.base import ReadModel, Request


class ImportFormat(StrEnum):
    CSV = "csv"
    """One row per evaluation, or our own metrics.csv."""
    SR_SAC = "sr_sac"
    """One text file per seed."""
    RAY = "ray"
    """The folder of a Ray Tune experiment."""
    TENSORBOARD = "tensorboard"
    """Event files, a folder per run."""


class ImportedFile(Request):
    path: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]+$")]
    """Relative, with `/` between its parts: folders separate runs."""
    content: Base64Bytes
    """In base64."""


class NewImport(Request):
    """Files of results that become an experiment."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    files: Annotated[list[ImportedFile], Field(min_length=1, max_length=2000)]
    format: ImportFormat | None = None
    """None: recognised by the names of the files."""
    environment: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """Its id: results are compared with those of experiments that have the same. Without it, what the files say."""
    algorithm: Annotated[str, StringConstraints(min_length=1, max_length=50)] | None = None
    return_name: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """What the files call the return; without it, the usual names are looked for."""
    source: Annotated[str, StringConstraints(max_length=500)] | None = None
    """Where the files are from, in words: a path, an address, a paper."""
    project: str | None = None
    """The name of the project that it is for; without it, the first of which one is a member."""


class ImportSource(ReadModel):
    """Where the results of an imported experiment are from."""

    format: ImportFormat
    source: str
    """In words."""
    files: int
    return_name: str
    """What the files call the return."""
