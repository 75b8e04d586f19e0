"""What is wrong with a spec, or what it will ask for."""

import math

from backend.kit.errors import ProblemRead
from backend.specs.schemas import Forecast, SpecReport
from phylon import catalogue
from phylon.spec import ExperimentSpec, SpecInvalid, parse_yaml, spec_to_json

_NUMBER_BYTES = 4


def report(yaml: str) -> SpecReport:
    try:
        spec = parse_yaml(yaml)
    except SpecInvalid as error:
        problems = [ProblemRead(**problem) for problem in error.problems]
        return SpecReport(valid=False, problems=problems, spec=None, forecast=None)
    return SpecReport(valid=True, problems=[], spec=spec_to_json(spec), forecast=forecast(spec))


def forecast(spec: ExperimentSpec) -> Forecast:
    members = spec.population.size
    return Forecast(
        members=members,
        runs=spec.replicates,
        total_env_steps=spec.budget.env_steps * members * spec.replicates,
        replay_bytes=members * spec.replay.capacity * _transition_bytes(spec) if spec.replay else 0,
    )


def _transition_bytes(spec: ExperimentSpec) -> int:
    """Observation twice, action, reward and the end-of-episode mark, all in four bytes but the pixels of images."""
    entry = catalogue.find(spec.environment.suite, spec.environment.id)
    if entry is None:
        raise ValueError(f"a valid spec names a known environment, but {spec.environment.id} is in no catalogue")
    value_bytes = 1 if entry.observation.dtype == "uint8" else _NUMBER_BYTES
    observation, action = math.prod(entry.observation.shape), math.prod(entry.action.shape)
    return 2 * value_bytes * observation + _NUMBER_BYTES * (action + 2)
