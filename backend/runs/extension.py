"""More budget for runs that have ended. The experiment keeps the spec that was submitted; a run that trains with
another budget says so itself."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.imports.read_only import ImportedReadOnly
from phylon.backend.jobs.changes import send_on
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Experiment, Run
from phylon.backend.specs.refusal import SpecRefused
from phylon.contract.runs import Extension, ExtensionOutlook
from phylon.contract.vocabulary import JobStatus
from phylon.spec import ExperimentSpec, SpecInvalid, parse_accepted, spec_to_json
from phylon.spec.extension import ExtensionRefused, refuse_more_steps
from phylon.spec.extension import extend as extend_spec

_LIMITS = {"budget": "env_steps", "seconds": "seconds", "target_return": "target_return", "plateau": "plateau"}
"""The limit of a budget that each `EndReason` means."""


class RunNotExtendable(Conflict):
    """The run cannot go on with this budget."""


def spec_of(run: Run, experiment: Experiment) -> dict[str, Any]:
    """What the run trains with. An extended run keeps all that once followed from the smaller budget."""
    if run.extended_budget is None:
        return experiment.spec
    return spec_to_json(parse_accepted(experiment.spec)) | {"budget": run.extended_budget}


def extend(
    session: Session, context: Context, viewer: Viewer, experiment: Experiment, runs: Sequence[Run], body: Extension
) -> None:
    """All of these runs, locked, or none: replicates of an experiment are compared, so they should train equally."""
    for run in runs:
        require_change(viewer, run.job, f"run {run.id}")
        audit.record(session, viewer, "run.extend", f"run {run.id}", project_id=run.job.project_id)
    budgets = [_extended(run, parse_accepted(spec_of(run, experiment)), body).budget for run in runs]
    for run, budget in zip(runs, budgets, strict=True):
        run.extended_budget = budget.model_dump(mode="json")
        run.total_steps = budget.env_steps
        send_on(session, context, run.job)


def look(run: Run, experiment: Experiment) -> ExtensionOutlook:
    """What can be known before anyone names a budget."""
    if experiment.import_format is not None:
        refused = ImportedReadOnly(experiment)
        return ExtensionOutlook(
            budget={}, ended_by=None, refusal=refused.detail, steps_refusal=None, remedy=refused.remedy
        )
    spec = parse_accepted(spec_of(run, experiment))
    refusal, steps_refusal = _refuse_status(run), refuse_more_steps(spec)
    limit = _LIMITS.get(run.end_reason or "")
    if refusal is None and steps_refusal is not None and limit == "env_steps":
        refusal = _refuse(run, steps_refusal)
    return ExtensionOutlook(
        budget=spec.budget.model_dump(mode="json"),
        ended_by=limit,
        refusal=refusal.detail if refusal else None,
        steps_refusal=f"{steps_refusal.message[0].upper()}{steps_refusal.message[1:]}." if steps_refusal else None,
        remedy=refusal.remedy if refusal else None,
    )


def _refuse_status(run: Run) -> RunNotExtendable | None:
    status = run.job.status
    if status in (JobStatus.FINISHED, JobStatus.STOPPED):
        return None
    return RunNotExtendable(
        f"Run {run.id} is {status}; only a run that finished or stopped can be extended.",
        "Retry it first." if status == JobStatus.FAILED else "Stop it first, or wait until it has finished.",
    )


def _refuse(run: Run, refusal: ExtensionRefused) -> RunNotExtendable:
    return RunNotExtendable(f"Run {run.id}: {refusal.message}.", f"{refusal.remedy.capitalize()}.")


def _extended(run: Run, spec: ExperimentSpec, body: Extension) -> ExperimentSpec:
    if (in_the_way := _refuse_status(run)) is not None:
        raise in_the_way
    try:
        extended = extend_spec(spec, body.budget)
    except SpecInvalid as error:
        raise SpecRefused(error) from None
    except ExtensionRefused as refusal:
        raise _refuse(run, refusal) from None
    limit = _LIMITS.get(run.end_reason or "")
    if limit is not None and getattr(extended.budget, limit) == getattr(spec.budget, limit):
        raise RunNotExtendable(
            f"Run {run.id} ended by budget.{limit}, which stays the same: it would end again at once.",
            f"Give budget.{limit} a looser value" + (", or null to remove it." if limit != "env_steps" else "."),
        )
    return extended
