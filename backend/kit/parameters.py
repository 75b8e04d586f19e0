"""Parameters that routes share. A number that no database column can hold is refused before it is asked for."""

from typing import Annotated

from fastapi import Path, Query

LARGEST = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

Id = Annotated[int, Path(ge=1, le=LARGEST)]
Number = Annotated[int, Query(ge=0, le=LARGEST)]
Limit = Annotated[int, Query(ge=1, le=500, description="At most so many items.")]
Ids = Annotated[list[Annotated[int, Query(ge=1, le=LARGEST)]], Query(max_length=200)]
After = Annotated[str | None, Query(max_length=100, description="`next` of the page before.")]
