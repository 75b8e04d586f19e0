"""`python -m phylon.worker.policies.evaluation FOLDER`: plays what FOLDER/request.json asks for.

Its launcher holds stdin. An episode that was reported is not played again, so the next attempt goes on where this
one was left.
"""

import argparse
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phylon.contract.evaluation_events import evaluation_event
from phylon.contract.protocol import EvaluationPayload, PolicyReference
from phylon.evaluation_folder import film_file, policy_file, read_order, run_folder
from phylon.policy import Policy, PolicyInvalid
from phylon.run_directory import file_sha256, locked, videos_dir
from phylon.spec import SpecInvalid
from phylon.spool import SPOOL_FILE, SpoolWriter
from phylon.worker.core import logging
from phylon.worker.core.commands import CRASHED, EXIT_CODES, Commands
from phylon.worker.core.errors import EngineError
from phylon.worker.training.process import compile_cache

if TYPE_CHECKING:
    from phylon.worker.policies.playing import Task

Kind = Literal["loaded", "played", "film", "not_filmed", "finished", "stopped", "failed"]
LONGEST_REASON = 2000


class Interrupted(Exception):
    """The launcher wants the evaluation to end. What was played is kept."""


class Journal:
    """Records what happens, and is where an evaluation notices that it is to end."""

    def __init__(self, spool: SpoolWriter, commands: Commands, done: int) -> None:
        self._spool, self._commands, self._done = spool, commands, done
        self._began = time.monotonic()

    def record(self, kind: Kind, **fields: Any) -> None:
        stamp = {"seq": self._spool.next_seq, "step": self._done, "wall": time.monotonic() - self._began}
        self._spool.append(evaluation_event.validate_python({"kind": kind, **stamp, **fields}))

    def played(self, policy: int, first: int, returns: list[float], lengths: list[int]) -> None:
        self._done += len(returns)
        self.record("played", policy=policy, first=first, returns=returns, lengths=lengths)

    def pause_if_asked(self) -> None:
        if self._commands.wanted is not None:
            raise Interrupted


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.policies.evaluation", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder that holds request.json")
    folder: Path = parser.parse_args(arguments).folder
    logging.configure_job()
    commands = Commands()
    commands.listen()
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(compile_cache()))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    with locked(folder):
        order = read_order(folder)
        with SpoolWriter(folder / SPOOL_FILE, order.next_seq) as spool:
            done = sum(policy.played for policy in order.payload.policies)
            outcome = _evaluate(folder, order.payload, Journal(spool, commands, done), commands)
            spool.sync()
    return EXIT_CODES[outcome]


def _evaluate(folder: Path, asked: EvaluationPayload, journal: Journal, commands: Commands) -> str:
    for place, reference in enumerate(asked.policies):
        try:
            _play(folder, asked, place, reference, journal)
        except Interrupted:
            if commands.wanted == "yield":
                return "yielded"
            journal.record("stopped")
            return "stopped"
        except (EngineError, PolicyInvalid, SpecInvalid) as error:
            what = error.message if isinstance(error, EngineError) else str(error)
            remedy = error.remedy if isinstance(error, EngineError) else "evaluate a policy of this version of Phylon"
            journal.record("failed", message=f"the policy of {reference.name}: {what}", remedy=remedy)
            return "failed"
    journal.record("finished")
    return "finished"


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
            journal.played(place, played, found.returns.tolist(), found.lengths.tolist())
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
    try:
        sys.exit(main(sys.argv[1:]))
    except Exception:
        # Python's own exit code for this is 1, which here means that the evaluation itself failed.
        traceback.print_exc()
        sys.exit(CRASHED)
