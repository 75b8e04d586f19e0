"""Which stored file an evaluation takes a policy from, and where that policy plays."""

from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.artifacts import repository as artifacts
from phylon.backend.artifacts.service import is_policy
from phylon.backend.catalogue.known import read_environment
from phylon.backend.forks.gathering import kept_checkpoints
from phylon.backend.kit.errors import Conflict, Invalid
from phylon.backend.models import Artifact, Run
from phylon.backend.runs import repository as runs
from phylon.catalogue import Space
from phylon.contract.evaluations import PolicyChoice
from phylon.policy.place import other_environment
from phylon.spec import ExperimentSpec, parse_accepted
from phylon.spec.entries import entry_of
from phylon.spec.environment import EnvironmentSpec


class NothingToEvaluate(Conflict):
    """The service holds no such policy."""


class PlaceRefused(Invalid):
    """The policies cannot play there; nothing was stored."""


class Chosen(NamedTuple):
    run: Run
    choice: str
    file: Artifact
    spec: ExperimentSpec
    """Of its run, in the environment where it plays."""


def choose(session: Session, viewer: Viewer, asked: PolicyChoice, environment: str | None) -> Chosen:
    run = runs.get_with_experiment(session, viewer, asked.run)
    spec = parse_accepted(run.experiment.spec)
    if environment is not None:
        spec = spec.model_copy(update={"environment": _find_place(spec.environment, environment, run.id)})
    return Chosen(run, str(asked.member), _choose_file(session, run, asked, spec.population.size), spec)


def _choose_file(session: Session, run: Run, asked: PolicyChoice, members: int) -> Artifact:
    """The winner's policy is there as it was exported; everyone else's is in the checkpoints."""
    if isinstance(asked.member, int) and asked.member >= members:
        raise Invalid(
            f"Run {run.id} has no member {asked.member}.", f"Use best, mean, or a number from 0 to {members - 1}."
        )
    if asked.member == "best" and asked.step is None:
        policy = next((row for row in artifacts.of_job(session, run.job_id) if is_policy(row)), None)
        if policy is not None:
            return policy
    kept = kept_checkpoints(session, run.job_id)
    if not kept:
        raise NothingToEvaluate(
            f"Run {run.id} has left no policy, and the service keeps no checkpoint of it.",
            "Wait for its first checkpoint, or choose another run.",
        )
    for checkpoint in reversed(kept):
        if asked.step in (None, checkpoint.step):
            return checkpoint
    steps = ", ".join(str(checkpoint.step) for checkpoint in kept)
    raise NothingToEvaluate(
        f"The service keeps no checkpoint of run {run.id} at step {asked.step}.", f"Those that it keeps: {steps}."
    )


def _find_place(trained: EnvironmentSpec, named: str, run_id: int) -> EnvironmentSpec:
    """What can be seen without the engine; that compares the spaces again before anyone plays."""
    place = read_environment(other_environment(trained, named).model_dump())
    theirs, ours = entry_of(trained), entry_of(place)
    if theirs and ours and not (_fits(theirs.observation, ours.observation) and _fits(theirs.action, ours.action)):
        raise PlaceRefused(
            f"The policy of run {run_id} takes {theirs.observation.describe()} and gives {theirs.action.describe()}; "
            f"{place.id} has {ours.observation.describe()} and takes {ours.action.describe()}.",
            "Choose an environment with the same spaces.",
        )
    return place


def _fits(theirs: Space, ours: Space) -> bool:
    """Numbers are numbers, however precise; bytes are an image."""
    sides = ((each.model_copy(update={"dtype": ""}), each.dtype == "uint8") for each in (theirs, ours))
    return len({str(side) for side in sides}) == 1
