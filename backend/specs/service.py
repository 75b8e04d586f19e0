"""What is wrong with a spec, or what it will ask for."""

import math

from backend.kit.errors import ProblemRead
from backend.specs.schemas import Forecast, SpecReport
from phylon import catalogue
from phylon.spec import ExperimentSpec, Group, SpecInvalid, parse_document, read_yaml, spec_to_json

_NUMBER_BYTES = 4


def report(yaml: str) -> SpecReport:
    try:
        document = parse_document(read_yaml(yaml))
    except SpecInvalid as error:
        problems = [ProblemRead(**problem) for problem in error.problems]
        return SpecReport(valid=False, problems=problems, spec=None, forecast=None)
    if isinstance(document, Group):
        return SpecReport(valid=True, problems=[], spec=None, forecast=forecast_of_group(document))
    return SpecReport(valid=True, problems=[], spec=spec_to_json(document), forecast=forecast(document))


def forecast_of_group(group: Group) -> Forecast:
    parts = [forecast(spec) for spec in group.experiments.values()]
    return Forecast(
        experiments=len(parts),
        members=max(part.members for part in parts),
        runs=sum(part.runs for part in parts),
        total_env_steps=sum(part.total_env_steps for part in parts),
        replay_bytes=max(part.replay_bytes for part in parts),
    )


def forecast(spec: ExperimentSpec) -> Forecast:
    members = spec.population.size
    rings = 0 if spec.replay is None else 1 if spec.replay.sharing == "shared" else members
    return Forecast(
        experiments=None,
        members=members,
        runs=spec.replicates,
        total_env_steps=spec.budget.env_steps * members * spec.replicates,
        replay_bytes=rings * spec.replay.capacity * _transition_bytes(spec) if spec.replay else 0,
    )


def _transition_bytes(spec: ExperimentSpec) -> int:
    """Observation twice, action, reward and the end-of-episode mark, all in four bytes but the pixels of images."""
    entry = catalogue.find(spec.environment.suite, spec.environment.id)
    if entry is None:
        raise ValueError(f"a valid spec names a known environment, but {spec.environment.id} is in no catalogue")
    value_bytes = 1 if entry.observation.dtype == "uint8" else _NUMBER_BYTES
    observation, action = math.prod(entry.observation.shape), math.prod(entry.action.shape)
    return 2 * value_bytes * observation + _NUMBER_BYTES * (action + 2)
