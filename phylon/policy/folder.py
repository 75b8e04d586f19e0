"""The files of a policy: a folder, or the same files in one zip."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.policy import safetensors
from phylon.policy.names import ARCHIVE, CARD_FILE, FORMAT, WEIGHTS_FILE
from phylon.policy.network import NativeActions, PolicyNetwork, Spaces, network_to_json

TOLERANCE = 1e-5
"""By how much the forms of a policy may differ from the trainer's actions, on the scale [-1, 1]."""

Files = Mapping[str, bytes]
"""By name."""


class PolicyInvalid(ValueError):
    """There is no policy, or none that can be read; the message says why and the remedy."""


def policy_files(
    network: PolicyNetwork,
    weights: Mapping[str, NDArray[Any]],
    spaces: Spaces,
    native: NativeActions,
    about: Mapping[str, Any],
) -> dict[str, bytes]:
    """`about`: what else the card says."""
    content = safetensors.to_bytes({name: np.asarray(weights[name]) for name in network.weights})
    card = {
        "format": FORMAT,
        **about,
        "observation": _observation(spaces),
        "action": _action(spaces, native),
        "network": network_to_json(network),
        "tolerance": TOLERANCE,
        "weights": {
            "file": WEIGHTS_FILE,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "numbers": sum(int(np.size(weights[name])) for name in network.weights),
        },
    }
    return {CARD_FILE: card_bytes(card), WEIGHTS_FILE: content}


def card_bytes(card: Mapping[str, Any]) -> bytes:
    return (json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode()


def _observation(spaces: Spaces) -> dict[str, Any]:
    """With the mapping from the environment's own structure to the vector, where there is one."""
    parts = {"parts": [asdict(part) for part in spaces.parts]} if spaces.parts else {}
    return {"shape": list(spaces.observation_shape), "dtype": spaces.observation_dtype, **parts}


def _action(spaces: Spaces, native: NativeActions) -> dict[str, Any]:
    if spaces.is_discrete:
        return {"kind": "discrete", "n": spaces.action_size, "start": native.start, "dtype": native.dtype}
    if spaces.action_counts:
        choices = {"counts": list(spaces.action_counts), "starts": list(native.starts)}
        return {"kind": "multi_discrete", "shape": list(native.shape), "dtype": native.dtype, **choices}
    bounds = {"low": list(native.low), "high": list(native.high)}
    return {"kind": "box", "shape": list(native.shape), "dtype": native.dtype, **bounds}


def to_archive(files: Files) -> bytes:
    """A zip that is the same, byte for byte, whenever it is written. The card comes first."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files, key=lambda name: (name != CARD_FILE, name)):
            archive.writestr(zipfile.ZipInfo(name), files[name])  # a ZipInfo of its own has a fixed date
    return buffer.getvalue()


def write_folder(folder: Path, files: Files) -> None:
    """The card is written last: a folder without one holds no policy."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(files, key=lambda name: (name == CARD_FILE, name)):
        part = folder / f"{name}.part"
        part.write_bytes(files[name])
        part.replace(folder / name)


def open_files(source: str | Path) -> Callable[[str], bytes]:
    """A function that reads a file of the policy by name; FileNotFoundError for one that is not there.

    `source`: the folder, the zip, or the directory of a run that has ended, which holds one.
    """
    path = Path(source)
    if path.is_dir() and not (path / CARD_FILE).exists() and (path / ARCHIVE).exists():
        path = path / ARCHIVE
    if path.is_dir():
        return lambda name: (path / name).read_bytes()
    if not path.exists():
        raise PolicyInvalid(f"'{path}' is not there; name the folder that `phylon policy RUN --out FOLDER` wrote")

    def read(name: str) -> bytes:
        try:
            with zipfile.ZipFile(path) as archive:
                return archive.read(name)
        except KeyError:
            raise FileNotFoundError(name) from None
        except zipfile.BadZipFile:
            raise PolicyInvalid(f"'{path}' is neither a folder nor a zip file with a policy") from None

    return read


def read_card(source: str | Path) -> dict[str, Any]:
    try:
        content = open_files(source)(CARD_FILE)
    except FileNotFoundError:
        raise PolicyInvalid(
            f"'{source}' holds no policy; `phylon policy RUN --out FOLDER` makes one of a run's checkpoint"
        ) from None
    try:
        card = json.loads(content)
        format = card["format"]
    except (ValueError, KeyError, TypeError):
        raise PolicyInvalid(f"the card in '{source}' is damaged; export the policy again") from None
    if format != FORMAT:
        raise PolicyInvalid(
            f"the policy in '{source}' has the format '{format}', and this version of Phylon reads {FORMAT}; "
            "use the version that wrote it"
        )
    return card
