"""Experiments, groups of them and runtime studies, ready to run: the papers', each with a small `-smoke` variant."""

import difflib
from functools import cache
from importlib import resources

from phylon.contract.catalogue import Preset
from phylon.spec import Group, parse_document, read_yaml

SMOKE_SUFFIX = "-smoke"


class PresetUnknown(LookupError):
    """No preset has that name; the message says which ones look like it."""

    def __init__(self, name: str) -> None:
        close = difflib.get_close_matches(name, [preset.name for preset in list_presets()], n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(close)}?" if close else "`phylon presets` lists them"
        super().__init__(f"there is no preset '{name}'; {hint}")


@cache
def list_presets() -> tuple[Preset, ...]:
    """Every preset, smoke variants first, so that a newcomer meets a quick one first."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".yaml")]
    presets = [_read(file.name.removesuffix(".yaml"), file.read_text(encoding="utf-8")) for file in files]
    return tuple(sorted(presets, key=lambda preset: (not preset.smoke, "pendulum" not in preset.name, preset.name)))


def load_preset(name: str) -> Preset:
    """The preset of that name. Raises `PresetUnknown`."""
    for preset in list_presets():
        if preset.name == name:
            return preset
    raise PresetUnknown(name)


def _read(name: str, text: str) -> Preset:
    document = parse_document(read_yaml(text))
    is_group = isinstance(document, Group)
    spec = document.spec if is_group else document
    return Preset(
        name=name,
        description=spec.description,
        kind=spec.kind,
        smoke=name.endswith(SMOKE_SUFFIX),
        experiments=len(document.experiments) if is_group else None,
        yaml=text,
    )
