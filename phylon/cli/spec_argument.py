"""SPEC on the command line: a YAML file, `-` for standard input, or the name of a preset; and `--set path=value`."""

import sys
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from phylon.cli.exits import BadInput
from phylon.presets import PresetUnknown, load_preset
from phylon.spec import ExperimentSpec, parse_spec, read_yaml

SpecArgument = Annotated[
    str, typer.Argument(metavar="SPEC", help="A YAML file, '-' for standard input, or the name of a preset.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change one field, e.g. --set population.size=4 or --set 'algorithm.discount={uniform: [0.9, 1.0]}'. "
        "The value is YAML. May be given several times.",
    ),
]


def load_spec(source: str, overrides: list[str] | None = None) -> ExperimentSpec:
    """Raises `SpecInvalid`, or `BadInput` when there is nothing to read."""
    raw = read_yaml(_read(source))
    for override in overrides or []:
        _set(raw, override)
    return parse_spec(raw)


def _read(source: str) -> str:
    if source == "-":
        return sys.stdin.read()
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if path.suffix in (".yaml", ".yml", ".json") or path.name != source:
            raise BadInput(f"there is no file '{source}'; give a YAML file, '-' or a preset's name") from None
    except UnicodeDecodeError:
        raise BadInput(f"'{source}' is not a text in UTF-8; a spec is a YAML file") from None
    except OSError as error:
        raise BadInput(f"'{source}' cannot be read ({error.strerror}); give a YAML file") from None
    try:
        return load_preset(source).yaml
    except PresetUnknown as unknown:
        raise BadInput(f"there is no file '{source}', and {unknown}") from None


def _set(raw: Any, override: str) -> None:
    """Puts one value into plain data. Whether the field exists is for the spec's own check to say."""
    path, separator, text = override.partition("=")
    keys = path.strip().split(".")
    if not separator or not all(keys):
        raise BadInput(f"--set '{override}' does not say path=value, e.g. --set algorithm.discount=0.98")
    value = read_yaml(text)
    *parents, last = keys
    for position, key in enumerate(parents):
        section = _child(raw, key, ".".join(keys[:position]), override)
        if section is None:
            section = raw[key] = dict[str, Any]()
        raw = section
    _child(raw, last, ".".join(parents), override)
    raw[int(last) if isinstance(raw, list) else last] = value


def _child(holder: Any, key: str, path: str, override: str) -> Any:
    if isinstance(holder, dict):
        return cast(dict[str, Any], holder).get(key)
    if isinstance(holder, list):
        items = cast(list[Any], holder)
        if key.isdecimal() and int(key) < len(items):
            return items[int(key)]
        raise BadInput(f"--set '{override}': {path} is a list of {len(items)}; use a number below {len(items)}")
    raise BadInput(
        f"--set '{override}': {path or 'the spec'} is {holder!r}, which has no '{key}'; set {path} as a whole"
    )
