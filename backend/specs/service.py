"""What is wrong with a spec, or what it will ask for."""

from phylon.contract.specs import Forecast, SpecReport
from phylon.forecast.memory import replay_bytes
from phylon.spec import ExperimentSpec, Group, RuntimeStudySpec, SpecInvalid, read_yaml, resolve_document


def report(yaml: str) -> SpecReport:
    try:
        resolved = resolve_document(read_yaml(yaml))
    except SpecInvalid as error:
        return SpecReport(valid=False, problems=error.problems, notes=[], spec=None, resolved=None, forecast=None)
    document = resolved.document
    return SpecReport(
        valid=True,
        problems=[],
        notes=resolved.notes,
        spec=None if isinstance(document, Group) else document.model_dump(mode="json"),
        resolved=resolved.to_yaml(),
        forecast=_forecast_of(document),
    )


def _forecast_of(document: ExperimentSpec | Group | RuntimeStudySpec) -> Forecast | None:
    if isinstance(document, RuntimeStudySpec):
        return None
    return forecast_of_group(document) if isinstance(document, Group) else forecast(document)


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
