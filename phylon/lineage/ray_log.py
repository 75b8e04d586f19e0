"""Ray Tune's mutation logs: `pbt_global.txt` with every exploit, `pbt_policy_*.txt` with those behind one trial.

A line is a JSON list: tag of the trial that was replaced, tag of the one it was cloned from, the iterations of both,
the clone's configuration, and the configuration that was made of it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

GLOBAL_FILE = "pbt_global.txt"
_GLOBAL = re.compile(r"pb[t2]_global\.txt")
_POLICY = re.compile(r"pb[t2]_policy_.+\.txt")

Config = dict[str, Any]
Iteration = Annotated[int, Field(ge=0, lt=2**53)]
_LINE: TypeAdapter[tuple[str, str, int, int, Config, Config]] = TypeAdapter(
    tuple[str, str, Iteration, Iteration, Config, Config]
)


class RayLogInvalid(ValueError):
    """Says which line of which file is wrong, and what belongs there."""


class Exploit(NamedTuple):
    target: str
    clone: str
    target_iteration: int
    clone_iteration: int
    old: Config
    new: Config


def policy_file(trial: str | int) -> str:
    return f"pbt_policy_{trial}.txt"


def is_log(name: str) -> bool:
    return bool(_GLOBAL.fullmatch(name) or _POLICY.fullmatch(name))


def written(exploits: Iterable[Exploit]) -> str:
    return "".join(json.dumps(exploit) + "\n" for exploit in exploits)


def read(files: Mapping[str, str]) -> list[Exploit]:
    """The exploits that these files record, in order. Raises `RayLogInvalid`.

    The global file has them all. Without it those of the policy files are put together: a file is copied with its
    trial, so a line that stands in several is one exploit, and the history of trials that were later replaced is lost.
    """
    named = {PurePosixPath(name.replace("\\", "/")).name: text for name, text in files.items()}
    whole = [name for name in named if _GLOBAL.fullmatch(name)]
    if whole:
        return list(_lines(whole[0], named[whole[0]]))
    policies = sorted(name for name in named if _POLICY.fullmatch(name))
    if not policies:
        raise RayLogInvalid(
            f"there is neither {GLOBAL_FILE} nor a {policy_file('*')}; both lie in the folder of the Ray experiment"
        )
    once = {json.dumps(exploit): exploit for name in policies for exploit in _lines(name, named[name])}
    return sorted(once.values(), key=lambda exploit: exploit.target_iteration)


def _lines(name: str, text: str) -> Iterator[Exploit]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield _exploit(line, f"{name} line {number}")


def _exploit(line: str, place: str) -> Exploit:
    try:
        return Exploit(*_LINE.validate_json(line, strict=True))
    except ValidationError:
        expected = "two tags, two iterations and two configurations"
        raise RayLogInvalid(f"{place} is not a JSON list of {expected}: {line[:60]!r}") from None
