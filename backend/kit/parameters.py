"""Parameters that routes share. A number that no database column can hold is refused before it is asked for."""

from typing import Annotated

from fastapi import Path, Query

LARGEST = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

Id = Annotated[int, Path(ge=1, le=LARGEST)]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]
