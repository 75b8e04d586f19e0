"""What is wrong with a spec, or what it will ask for."""

from sqlalchemy.orm import Session

from phylon.backend.workers.environments import find_offers
from phylon.catalogue import offering
from phylon.contract.specs import Forecast, PlannedExperiment, SpecReport, SpecSchema
from phylon.forecast.disk import checkpoint_disk
from phylon.forecast.memory import replay_bytes
from phylon.spec import ExperimentSpec, Group, RuntimeStudySpec, SpecInvalid, read_yaml, resolve_document
from phylon.spec.resolve import SHORT_FORMS


def report(session: Session, yaml: str) -> SpecReport:
    try:
        with offering(find_offers(session)):
            resolved = resolve_document(read_yaml(yaml))
    except SpecInvalid as error:
        nothing = {"spec": None, "resolved": None, "forecast": None, "experiments": None}
        return SpecReport(valid=False, problems=error.problems, notes=[], **nothing)
    document = resolved.document
    return SpecReport(
        valid=True,
        problems=[],
        notes=resolved.notes,
        spec=None if isinstance(document, Group) else document.model_dump(mode="json"),
        resolved=resolved.to_yaml(),
        forecast=_forecast_of(document),
        experiments=_planned(document) if isinstance(document, Group) else None,
    )


def schema() -> SpecSchema:
    return SpecSchema(definition=ExperimentSpec.model_json_schema(), short_forms=SHORT_FORMS)


def _planned(group: Group) -> list[PlannedExperiment]:
    return [
        PlannedExperiment(name=spec.name, changes=group.spec.experiments[suffix], runs=spec.replicates)
        for suffix, spec in group.experiments.items()
    ]


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
        checkpoint_bytes=max(part.checkpoint_bytes for part in parts),
        checkpoints_kept=max(part.checkpoints_kept for part in parts),
        disk_bytes=sum(part.disk_bytes for part in parts),
    )


def forecast(spec: ExperimentSpec) -> Forecast:
    members, disk = spec.population.size, checkpoint_disk(spec)
    return Forecast(
        experiments=None,
        members=members,
        runs=spec.replicates,
        total_env_steps=spec.budget.env_steps * members * spec.replicates,
        replay_bytes=replay_bytes(spec),
        checkpoint_bytes=disk.bytes,
        checkpoints_kept=disk.kept,
        disk_bytes=disk.total * spec.replicates,
    )
