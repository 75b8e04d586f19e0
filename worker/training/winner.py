"""The winner's policy as a file, written once at the end of a run. Nothing is compiled for it."""

import hashlib
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import FinalReturn, Lineage, RunEvent, run_event
from phylon.lineage.assembly import lineage_of_events
from phylon.policy.folder import policy_files, to_archive
from phylon.policy.making import NoPolicy, about_policy, complete, describe_policy
from phylon.policy.names import ARCHIVE
from phylon.policy.network import normalised_actions
from phylon.run_directory import read_run, replace_file, spool_path
from phylon.statistics.student import half_widths
from phylon.worker.environments import find_native_actions
from phylon.worker.environments.spaces import spaces_of
from phylon.worker.execution.acting import own_parts
from phylon.worker.gang.gang import bring
from phylon.worker.training.attempt import Attempt
from phylon.worker.training.checkpoint import name_of
from phylon.worker.training.versions import find_versions


def write_policy(attempt: Attempt, member: int, final: FinalReturn | None) -> None:
    """An algorithm that does not describe its policy leaves none, and the run says so."""
    spec, state = attempt.spec, attempt.state
    spaces = spaces_of(attempt.parts.work.info)
    with attempt.stopwatch.phase("checkpoint"):
        native = find_native_actions(spec.environment)
        try:
            network = describe_policy(spec.algorithm, spaces, native)
            weights = _weights(attempt, member, set(network.weights))
        except NoPolicy as error:
            print(f"no policy is exported: {error}", flush=True)
            return
        if not attempt.parts.gang.is_first:
            return
        span = state.lineage.span_of(member)
        about = about_policy(
            spec,
            run=read_run(attempt.run_dir).run_id,
            seed=attempt.parts.seed,
            member=member,
            span=span,
            step=state.step,
            evaluation=describe_returns(state.returns[member]),
            versions=find_versions(),
        )
        complete(about["provenance"], lineage_of_events(spec, _births(attempt)), final)
        files = policy_files(network, weights, spaces, native or normalised_actions(spaces), about)
        content = to_archive(files)
        replace_file(attempt.run_dir / ARCHIVE, content)
        attempt.journal.record(
            "policy",
            state.step,
            member=member,
            span=span,
            file=ARCHIVE,
            bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        )


def describe_returns(returns: NDArray[Any]) -> dict[str, Any] | None:
    """The latest evaluation of one member, [episodes]: its mean with a 95 % interval."""
    if not np.isfinite(returns).all():
        return None
    row = returns[None].astype(np.float64)
    mean, width = float(row.mean()), float(half_widths(row)[0])
    interval = {"low": mean - width, "high": mean + width} if np.isfinite(width) else {"low": None, "high": None}
    return {"mean": mean, **interval, "episodes": len(returns)}


def _weights(attempt: Attempt, member: int, wanted: set[str]) -> dict[str, NDArray[Any]]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(own_parts(attempt.state.population))
    found = {name_of(path): leaf for path, leaf in leaves}
    missing = sorted(wanted - found.keys())
    if missing:
        raise NoPolicy(f"its description names '{missing[0]}', which a member's state does not have")
    parts = attempt.parts
    own = {name: np.asarray(found[name])[member - parts.held.start] for name in wanted} if member in parts.held else {}
    return bring(parts.gang, own)


def _births(attempt: Attempt) -> list[RunEvent]:
    """Only these lines of the spool are parsed: a long run has many others."""
    with spool_path(attempt.run_dir).open("rb") as spool:
        events = [run_event.validate_json(line) for line in spool if b'"kind":"lineage"' in line]
    return [event for event in events if isinstance(event, Lineage)]
