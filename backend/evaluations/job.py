"""An evaluation as a kind of job: which policies play what, and how its events become results."""

from sqlalchemy.orm import Session

from phylon.backend.artifacts.service import list_blocks
from phylon.backend.evaluations.service import EVALUATIONS
from phylon.backend.kit.columns import without_nul
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Artifact, Evaluation, EvaluationPolicy, Experiment, Run
from phylon.backend.payloads.job import folded
from phylon.backend.runs import extension
from phylon.contract.evaluation_events import (
    EVALUATION_EVENTS,
    EpisodeFilmed,
    EpisodesPlayed,
    NotFilmed,
    PolicyLoaded,
    evaluation_event,
)
from phylon.contract.evaluations import LoadedPolicy
from phylon.contract.protocol import CheckpointedRun, EvaluationPayload, JobEvent, PolicyReference
from phylon.policy.names import ARCHIVE


def _payload(session: Session, evaluation: Evaluation) -> EvaluationPayload:
    return EvaluationPayload(
        policies=[_refer(session, policy) for policy in evaluation.policies],
        environment=evaluation.environment,
        episodes=evaluation.episodes,
        seed=evaluation.seed,
        sample=evaluation.sample,
        films=evaluation.films,
    )


def _refer(session: Session, policy: EvaluationPolicy) -> PolicyReference:
    run = None if policy.run_id is None or policy.file == ARCHIVE else session.get(Run, policy.run_id)
    source = None
    if run is not None:
        spec = extension.spec_of(run, session.get_one(Experiment, run.experiment_id))
        checkpoint = session.get(Artifact, policy.artifact_id)
        blocks = list_blocks(session, checkpoint) if checkpoint else ()
        source = CheckpointedRun(run_id=run.id, seed=run.seed, spec=spec, member=policy.choice, blocks=blocks)
    return PolicyReference(
        artifact_id=policy.artifact_id,
        file=policy.file,
        sha256=policy.sha256,
        checkpoint_of=source,
        name=policy.name if policy.run_id is None else f"{policy.name} (run {policy.run_id})",
        played=len(policy.returns),
        filmed=[film["episode"] for film in policy.films],
    )


def _fold(session: Session, evaluation: Evaluation, event: JobEvent) -> None:
    match event:
        case PolicyLoaded():
            _policy(evaluation, event.policy).loaded = LoadedPolicy(
                environment=event.environment,
                deterministic=event.deterministic,
                member=event.member,
                step=event.policy_step,
                weights_sha256=event.weights_sha256,
            ).model_dump(mode="json")
        case EpisodesPlayed():
            _add_played(_policy(evaluation, event.policy), event)
        case EpisodeFilmed():
            policy = _policy(evaluation, event.policy)
            kept = {"episode", "episode_return", "episode_steps", "ended", "bytes", "sha256"}
            film = event.model_dump(include=kept) | {"name": event.file}
            policy.films = [*(each for each in policy.films if each["episode"] != event.episode), film]
            policy.film_problem = None
        case NotFilmed():
            _policy(evaluation, event.policy).film_problem = without_nul(event.reason)
        case _:
            pass


def _policy(evaluation: Evaluation, place: int) -> EvaluationPolicy:
    if not 0 <= place < len(evaluation.policies):
        raise Invalid(f"Evaluation {evaluation.id} has no policy {place}.", "Report what the claim asked for.")
    return evaluation.policies[place]


def _add_played(policy: EvaluationPolicy, event: EpisodesPlayed) -> None:
    if event.first != len(policy.returns) or len(event.returns) != len(event.lengths):
        raise Invalid(
            f"Episodes from {event.first} on were reported of a policy that has played {len(policy.returns)}.",
            "Go on with the episode that follows those of the claim.",
        )
    policy.returns, policy.lengths = [*policy.returns, *event.returns], [*policy.lengths, *event.lengths]


def _forget(session: Session, evaluation: Evaluation) -> None:
    for policy in evaluation.policies:
        policy.loaded, policy.film_problem = None, None
        policy.returns, policy.lengths, policy.films = [], [], []


EVALUATION = folded(
    *(EVALUATIONS, EVALUATION_EVENTS, evaluation_event),
    progress=frozenset({"played", "film"}),
    history=("loaded", "played", "film", "not_filmed"),
    payload=_payload,
    fold=_fold,
    forget=_forget,
)
