"""From text or plain data to a valid `ExperimentSpec`, and back."""

from typing import Any, cast

import yaml
from pydantic import ValidationError

from phylon.spec.experiment import ExperimentSpec
from phylon.spec.problems import Problem, SpecInvalid, problems_of
from phylon.spec.upgrade import upgrade


def parse_spec(raw: Any) -> ExperimentSpec:
    """A spec from plain data (JSON or YAML). Raises `SpecInvalid` with every problem found."""
    if not isinstance(raw, dict):
        raise SpecInvalid(
            [Problem(path="", value=repr(raw)[:80], message="a spec is a mapping", remedy="start with 'version: 1'")]
        )
    lifted = upgrade(cast(dict[str, Any], raw))
    try:
        return ExperimentSpec.model_validate(lifted)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, ExperimentSpec)) from None


def parse_yaml(text: str) -> ExperimentSpec:
    return parse_spec(read_yaml(text))


def read_yaml(text: str) -> Any:
    """Plain data from YAML, safely: no tags, no code."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "the text"
        message = f"not valid YAML at {where}: {getattr(error, 'problem', error)}"
        raise SpecInvalid(
            [Problem(path="", value=None, message=message, remedy="check indentation and quotes")]
        ) from None


def spec_to_json(spec: ExperimentSpec) -> dict[str, Any]:
    return spec.model_dump(mode="json")


def spec_to_yaml(spec: ExperimentSpec) -> str:
    return yaml.safe_dump(spec_to_json(spec), sort_keys=False, allow_unicode=True)
