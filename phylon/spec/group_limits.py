"""What groups and sweeps, which become groups, may be called and how large they may be."""

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

LARGEST_GROUP = 200
LONGEST_GROUP_NAME = 40


def _group_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", text):
        remedy = "use letters, digits, '.', '_' and '-', starting with a letter or digit, at most 40 of them"
        raise PydanticCustomError("group_name", "a group cannot be called so", {"remedy": remedy})
    return text


GroupName = Annotated[str, AfterValidator(_group_name)]
