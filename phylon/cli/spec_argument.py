"""SPEC on the command line: a YAML file, `-` for standard input, or the name of a preset; and `--set path=value`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from phylon.catalogue import Offer, offering
from phylon.cli.console import show_notes
from phylon.cli.exits import BadInput
from phylon.cli.own_environments import describe_here
from phylon.presets import PresetUnknown, load_preset
from phylon.spec import (
    ExperimentSpec,
    Group,
    ResolvedDocument,
    RuntimeStudySpec,
    expand_document,
    read_yaml,
    resolve_document,
)
from phylon.spec.overrides import PathRefused, put

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


Describe = Callable[[Any], list[Offer]]
"""(document) -> what is known of the environments of people's own that it names."""


def load_spec(
    source: str, overrides: list[str] | None = None, describe: Describe = describe_here
) -> ExperimentSpec | Group:
    """An experiment, or a group of them: what can be trained. What will differ from what was written is printed."""
    document, notes = load_document(source, overrides, describe)
    if isinstance(document, RuntimeStudySpec):
        raise BadInput(f"'{source}' is a runtime study, which trains nothing; run it with `phylon study {source}`")
    show_notes(notes)
    return document


def load_study(source: str, overrides: list[str] | None = None) -> RuntimeStudySpec:
    document = load_document(source, overrides).document
    if not isinstance(document, RuntimeStudySpec):
        raise BadInput(f"'{source}' is no runtime study (kind: runtime_study); `phylon train` and `submit` take it")
    return document


def load_document(
    source: str, overrides: list[str] | None = None, describe: Describe = describe_here
) -> ResolvedDocument:
    """Whatever it is. Raises `SpecInvalid`, or `BadInput` when there is nothing to read."""
    raw = read_yaml(_read(source))
    if overrides:
        raw = expand_document(raw)
    for override in overrides or []:
        set_field(raw, override)
    with offering(describe(raw)):
        return resolve_document(raw)


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


def set_field(raw: Any, override: str) -> None:
    """What one `--set` says."""
    path, separator, text = override.partition("=")
    if not separator or not all(path.strip().split(".")):
        raise BadInput(f"--set '{override}' does not say path=value, e.g. --set algorithm.discount=0.98")
    try:
        put(raw, path, read_yaml(text))
    except PathRefused as refused:
        raise BadInput(f"--set '{override}': {refused}") from None
