"""From text or plain data to a valid `ExperimentSpec`, and back."""

from typing import Any, cast

import yaml
from pydantic import ValidationError

from phylon.spec.experiment import ExperimentSpec
from phylon.spec.problems import Problem, SpecInvalid, problems_of, showable
from phylon.spec.upgrade import upgrade


def parse_spec(raw: Any) -> ExperimentSpec:
    """A spec from plain data (JSON or YAML). Raises `SpecInvalid` with every problem found."""
    if not isinstance(raw, dict):
        raise invalid("a spec is a mapping of fields", "start with 'version: 1'", showable(raw))
    lifted = upgrade(cast(dict[str, Any], raw))
    try:
        return ExperimentSpec.model_validate(lifted)
    except ValidationError as error:
        raise SpecInvalid(problems_of(error, ExperimentSpec, lifted)) from None


def parse_yaml(text: str) -> ExperimentSpec:
    return parse_spec(read_yaml(text))


class _Loader(yaml.SafeLoader):
    """No tags, no code, and no field said twice: YAML would silently keep the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, f"'{key.value}' is said twice", key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def read_yaml(text: str) -> Any:
    """Plain data from YAML, safely."""
    try:
        return yaml.load(text, _Loader)  # a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "the text"
        message = f"not valid YAML at {where}: {getattr(error, 'problem', None) or error}"
        raise invalid(message, "check indentation and quotes, and that each field is said once") from None
    except (ValueError, RecursionError) as error:  # an impossible date, a number of 5000 digits, endless nesting
        raise invalid(f"not valid YAML: {error}", "check numbers and dates; put texts in quotes") from None


def invalid(message: str, remedy: str, value: Any = None) -> SpecInvalid:
    return SpecInvalid([Problem(path="", value=value, message=message, remedy=remedy)])


def spec_to_json(spec: ExperimentSpec) -> dict[str, Any]:
    return spec.model_dump(mode="json")


def spec_to_yaml(spec: ExperimentSpec) -> str:
    return yaml.safe_dump(spec_to_json(spec), sort_keys=False, allow_unicode=True)
