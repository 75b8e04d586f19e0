"""The run directory as `phylon train` lays it out: what is to be run, and whether a directory already holds that."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple, cast

from phylon.cli.exits import BadInput
from phylon.spec import ExperimentSpec, spec_to_json

RUN_FILE = "run.json"
CHECKPOINTS = "checkpoints"
VIDEOS = "videos"


class RunFolder(NamedTuple):
    path: Path
    resumed: bool
    """It already held this very run."""


def prepare(path: Path, spec: ExperimentSpec, seed: int) -> RunFolder:
    """Writes `run.json`, unless it is there. A directory that holds another run is refused."""
    wanted: dict[str, Any] = {"run_id": None, "seed": seed, "spec": spec_to_json(spec)}
    file = path / RUN_FILE
    try:
        (path / CHECKPOINTS).mkdir(parents=True, exist_ok=True)
        held = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        _write(file, wanted)
        return RunFolder(path, resumed=False)
    except (FileExistsError, NotADirectoryError):
        raise BadInput(f"'{path}' is a file; --out names a directory") from None
    except ValueError:
        raise BadInput(f"'{file}' is damaged; choose another directory with --out") from None
    difference = _difference(held, wanted)
    if difference:
        raise BadInput(
            f"'{path}' already holds another run: {difference}; choose another directory with --out, or delete this one"
        )
    return RunFolder(path, resumed=True)


def _write(file: Path, content: dict[str, Any]) -> None:
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(content, indent=1), encoding="utf-8")
    os.replace(partial, file)


def _difference(held: Any, wanted: Any, path: str = "") -> str | None:
    """The first place where two runs differ, in words."""
    if isinstance(held, dict) and isinstance(wanted, dict):
        old, new = cast(dict[str, Any], held), cast(dict[str, Any], wanted)
        for key in dict.fromkeys([*new, *old]):
            if key != "run_id":
                found = _difference(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))
                if found:
                    return found
        return None
    return None if held == wanted else f"{path.removeprefix('spec.')} is {held!r} there and {wanted!r} here"
