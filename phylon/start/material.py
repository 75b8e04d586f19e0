"""One file that holds the members which founders begin with: named arrays, nothing pickled."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Origin
from phylon.run_directory import START_FILE, replace_file

_ORIGINS = "origins"

Leaves = Mapping[str, NDArray[Any]]
"""Parts of a member's state, by the names that checkpoints have for them."""


class StartInvalid(ValueError):
    """There is nothing to start from; the text says why and the remedy."""


class Material(NamedTuple):
    """One member."""

    origin: Origin
    leaves: Leaves
    """All of its state from a checkpoint; from an exported policy, what acts."""
    shared: Leaves
    """What it shared with the other members, where there is such a part."""


def to_bytes(materials: Sequence[Material]) -> bytes:
    arrays: dict[str, NDArray[Any]] = {
        _ORIGINS: np.array(json.dumps([json.loads(each.origin.model_dump_json()) for each in materials]))
    }
    for place, each in enumerate(materials):
        arrays |= {f"{place}/own/{name}": leaf for name, leaf in each.leaves.items()}
        arrays |= {f"{place}/shared/{name}": leaf for name, leaf in each.shared.items()}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def write_start(run_dir: Path, content: bytes) -> None:
    run_dir.mkdir(parents=True, exist_ok=True)
    replace_file(run_dir / START_FILE, content)


def read_start(run_dir: Path) -> list[Material]:
    path = run_dir / START_FILE
    try:
        with np.load(path, allow_pickle=False) as file:
            origins = [Origin.model_validate(each) for each in json.loads(str(file[_ORIGINS]))]
            return [
                Material(origin, _below(file, f"{place}/own/"), _below(file, f"{place}/shared/"))
                for place, origin in enumerate(origins)
            ]
    except FileNotFoundError:
        raise StartInvalid(
            f"'{path}' is not there, which holds the weights that this run starts from; "
            "begin the run with `phylon train`, or submit it to a service, which put it there"
        ) from None
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise StartInvalid(f"'{path}' cannot be read: {error}; delete it and begin the run again") from None


def _below(file: Any, prefix: str) -> Leaves:
    return {name.removeprefix(prefix): file[name] for name in file.files if name.startswith(prefix)}
