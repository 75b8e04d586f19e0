"""`python -m phylon.worker.policies.evaluation FOLDER`: plays what FOLDER/request.json asks for."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from phylon.contract.evaluation_events import evaluation_event
from phylon.contract.protocol import EvaluationPayload, PolicyReference
from phylon.evaluation_folder import EvaluationOrder, film_file, policy_file, run_folder
from phylon.policy import Policy, PolicyInvalid
from phylon.run_directory import file_sha256, videos_dir
from phylon.spec import SpecInvalid
from phylon.worker.core.errors import EngineError
from phylon.worker.core.job_process import Journal, serve
from phylon.worker.training.process import compile_cache

if TYPE_CHECKING:
    from phylon.worker.policies.playing import Task

LONGEST_REASON = 2000


def evaluate(folder: Path, order: EvaluationOrder, journal: Journal) -> None:
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(compile_cache()))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    journal.done = sum(policy.played for policy in order.payload.policies)
    for place, reference in enumerate(order.payload.policies):
        try:
            _play(folder, order.payload, place, reference, journal)
        except EngineError as error:
            raise EngineError(f"the policy of {reference.name}: {error.message}", error.remedy) from error
        except (PolicyInvalid, SpecInvalid) as error:
            remedy = "evaluate a policy of this version of Phylon"
            raise EngineError(f"the policy of {reference.name}: {error}", remedy) from error


def _play(folder: Path, asked: EvaluationPayload, place: int, reference: PolicyReference, journal: Journal) -> None:
    # JAX is imported where it is needed: it reads its environment variables then.
    from phylon.worker.policies.playing import find_task, rounds

    journal.pause_if_asked()
    policy = _load(folder, place, reference)
    task = find_task(policy, reference.name, asked.environment, asked.sample)
    provenance = policy.card["provenance"]
    journal.record(
        "loaded",
        policy=place,
        environment=f"{task.environment.suite}:{task.environment.id}",
        deterministic=task.deterministic,
        member=provenance["member"],
        policy_step=provenance["step"],
        weights_sha256=policy.card["weights"]["sha256"],
    )
    played = reference.played
    if played < asked.episodes:
        for found in rounds(policy, task, asked.episodes, asked.seed, played):
            journal.done += len(found.returns)
            earned = {"returns": found.returns.tolist(), "lengths": found.lengths.tolist()}
            journal.record("played", policy=place, first=played, **earned)
            played += len(found.returns)
            journal.pause_if_asked()
    _film(folder, asked, place, reference, policy, task, journal)


def _film(
    folder: Path,
    asked: EvaluationPayload,
    place: int,
    reference: PolicyReference,
    policy: Policy,
    task: "Task",
    journal: Journal,
) -> None:
    """A suite that cannot be rendered here costs the films, never the returns."""
    from phylon.worker.policies.playing import film

    videos_dir(folder).mkdir(exist_ok=True)
    for episode in range(min(asked.films, asked.episodes)):
        if episode in reference.filmed:
            continue
        journal.pause_if_asked()
        path = videos_dir(folder) / film_file(place, episode)
        try:
            shown = film(policy, task, asked.seed, path, episode)
        except EngineError as error:
            reason = error.message.removeprefix("there is no film: ")
            journal.record("not_filmed", policy=place, reason=reason[:LONGEST_REASON])
            return
        journal.record(
            "film",
            policy=place,
            episode=episode,
            episode_return=shown.episode_return,
            episode_steps=shown.steps,
            ended=shown.ended,
            file=path.name,
            bytes=path.stat().st_size,
            sha256=file_sha256(path),
        )


def _load(folder: Path, place: int, reference: PolicyReference) -> Policy:
    exported, run = policy_file(folder, place), run_folder(folder, place)
    if reference.checkpoint_of is not None and run.exists():
        from phylon.worker.policies.from_checkpoint import make

        made = folder / "made" / str(place)
        make(run, reference.checkpoint_of.member, None, made)
        return Policy.load(made)
    if exported.exists():
        return Policy.load(exported)
    raise EngineError(
        f"the service no longer holds {reference.file}",
        "evaluate the run again: it takes the policy or the checkpoints that are kept by then",
    )


if __name__ == "__main__":
    serve("phylon.worker.policies.evaluation", evaluation_event, EvaluationOrder, evaluate)
