"""What is wrong with a spec, or what it will ask for."""

from phylon.contract.specs import Forecast, SpecReport
from phylon.spec import ExperimentSpec, Group, RuntimeStudySpec, SpecInvalid, parse_document, read_yaml, spec_to_json
from phylon.spec.memory import replay_bytes


def report(yaml: str) -> SpecReport:
    try:
        document = parse_document(read_yaml(yaml))
    except SpecInvalid as error:
        return SpecReport(valid=False, problems=error.problems, spec=None, forecast=None)
    if isinstance(document, Group):
        return SpecReport(valid=True, problems=[], spec=None, forecast=forecast_of_group(document))
    if isinstance(document, RuntimeStudySpec):
        return SpecReport(valid=True, problems=[], spec=document.model_dump(mode="json"), forecast=None)
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
    return Forecast(
        experiments=None,
        members=members,
        runs=spec.replicates,
        total_env_steps=spec.budget.env_steps * members * spec.replicates,
        replay_bytes=replay_bytes(spec),
    )
