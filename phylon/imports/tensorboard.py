"""TensorBoard's event files: a folder is a run, as TensorBoard itself has it. The `member-00`, `member-01`, … that we
write ourselves are members of one run, and `population` beside them is what belongs to all of them."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from phylon.export.tensorboard import POPULATION
from phylon.imports.event_reader import Restart, read_events
from phylon.imports.results import (
    Files,
    ImportedResults,
    ImportedRun,
    ImportRefused,
    choose_return,
    join_members,
    series_of,
    with_return,
)
from phylon.returns import RETURN
from phylon.series import Series

_MEMBER = re.compile(r"member-(\d+)")
_RETURNS = (
    RETURN,
    "eval/mean_reward",
    "eval/return",
    "evaluation/mean_reward",
    "charts/episodic_return",
    "rollout/ep_rew_mean",
    "ray/tune/evaluation/env_runners/episode_return_mean",
    "ray/tune/env_runners/episode_return_mean",
    "ray/tune/episode_reward_mean",
    "episode_reward_mean",
    "return",
    "reward",
)

Points = dict[str, list[tuple[int, float, float]]]
"""By tag: step, Unix time, value."""


def read(files: Files, return_name: str | None) -> ImportedResults:
    folders = sorted({PurePosixPath(path).parent for path in files if is_event_file(path)})
    points = {folder: _points(files, folder) for folder in folders}
    populations: dict[PurePosixPath, dict[str, Points]] = {}
    for folder, found in points.items():
        is_part = _MEMBER.fullmatch(folder.name) or (folder.name == POPULATION and _has_members(folder, folders))
        populations.setdefault(folder.parent if is_part else folder, {})[folder.name if is_part else ""] = found
    runs: list[ImportedRun] = []
    chosen = ""
    for seed, (folder, parts) in enumerate(populations.items()):
        series = _series(parts)
        chosen = choose_return(series, return_name, _RETURNS, str(folder))
        runs.append(ImportedRun(seed, with_return(series, chosen)))
    if not runs:
        raise ImportRefused("there is no event file among these; their names contain 'tfevents'")
    return ImportedResults(runs, chosen)


def is_event_file(path: str) -> bool:
    return "tfevents" in PurePosixPath(path).name


def _has_members(folder: PurePosixPath, folders: list[PurePosixPath]) -> bool:
    return any(other.parent == folder.parent and _MEMBER.fullmatch(other.name) for other in folders)


def _points(files: Files, folder: PurePosixPath) -> Points:
    """Of all files of a folder, in the order of their names, which is that of time."""
    found: Points = {}
    for path in sorted(path for path in files if is_event_file(path) and PurePosixPath(path).parent == folder):
        for event in read_events(files[path], path):
            if isinstance(event, Restart):
                found = {tag: [one for one in each if one[0] < event.step] for tag, each in found.items()}
            elif event.step >= 0:
                found.setdefault(event.tag, []).append((event.step, event.wall_time, event.value))
    return {tag: each for tag, each in found.items() if each}


def _series(parts: Mapping[str, Points]) -> dict[str, Series]:
    began = min((wall for points in parts.values() for each in points.values() for _, wall, _ in each), default=0.0)
    members = [_curves(points, began) for name, points in sorted(parts.items()) if name != POPULATION]
    whole = _curves(parts.get(POPULATION, {}), began)
    return join_members(members) | whole


def _curves(points: Points, began: float) -> dict[str, Series]:
    found: dict[str, Series] = {}
    for tag, each in points.items():
        steps, walls, values = zip(*each, strict=True)
        found[tag] = series_of(steps, [wall - began for wall in walls], values)
    return found
