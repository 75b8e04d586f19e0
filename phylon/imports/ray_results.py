"""The folder of a Ray Tune experiment: a folder per trial with `progress.csv` or `result.json`, and `params.json`.

Trials that differ in nothing but their seed are a run each. Trials that differ in more were a search, or a population
that copied its best: they become the members of one run, of which the best counts, because the best of a search is no
replicate.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, cast

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
from phylon.series import Series

PROGRESS, RESULT, PARAMETERS = "progress.csv", "result.json", "params.json"

_STEPS = (
    "num_env_steps_sampled_lifetime",
    "env_runners/num_env_steps_sampled_lifetime",
    "timesteps_total",
    "num_env_steps_sampled",
    "step",
    "training_iteration",
)
"""The first that a trial has. Iterations count where nothing counts steps."""
_SECONDS = "time_total_s"
_RETURNS = (
    "evaluation/env_runners/episode_return_mean",
    "evaluation/episode_reward_mean",
    "env_runners/episode_return_mean",
    "episode_reward_mean",
    "episode_return_mean",
    "mean_reward",
    "return",
    "reward",
    "score",
)
_SEEDS = frozenset({"seed", "random_seed"})
_LEFT_OUT = ("config/", "timers/", "perf/", "hist_stats/", "sampler_perf/", "info/")
"""Not what one draws."""


def read(files: Files, return_name: str | None) -> ImportedResults:
    folders = sorted({PurePosixPath(path).parent for path in files if PurePosixPath(path).name in (PROGRESS, RESULT)})
    trials: list[dict[str, Series]] = []
    parameters: list[dict[str, Any]] = []
    chosen = ""
    for folder in folders:
        rows = _rows(files, folder)
        if not rows:
            continue  # a trial that never reported
        chosen = choose_return({name for row in rows for name in row}, return_name, _RETURNS, str(folder))
        trials.append(with_return(_series(rows, folder), chosen))
        parameters.append(_parameters(files, folder))
    if not trials:
        raise ImportRefused("no trial in these files has reported a result; choose the folder that holds the trials")
    common = _common(parameters)
    environment = common.pop("env", None)
    if len({_without_seed(each) for each in parameters}) == 1:
        seeds = [_seed(each, place) for place, each in enumerate(parameters)]
        runs = [ImportedRun(seed, trial) for seed, trial in zip(seeds, trials, strict=True)]
    else:
        runs = [ImportedRun(0, join_members(trials))]
    return ImportedResults(
        _with_own_seeds(runs), chosen, environment if isinstance(environment, str) else None, None, common
    )


def is_result_file(path: str) -> bool:
    return PurePosixPath(path).name in (PROGRESS, RESULT, PARAMETERS)


def _rows(files: Files, folder: PurePosixPath) -> list[dict[str, float]]:
    """The numbers of each report. result.json knows what comes later in a run; the columns of progress.csv are those
    of its first report."""
    content = files.get(str(folder / RESULT))
    if content is not None:
        return [_numbers(_leaves(each)) for each in _json_lines(content, folder / RESULT)]
    text = files[str(folder / PROGRESS)].decode("utf-8", errors="replace")
    return [_numbers(row.items()) for row in csv.DictReader(io.StringIO(text))]


def _json_lines(content: bytes, path: PurePosixPath) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line, text in enumerate(content.splitlines(), start=1):
        if text.strip():
            found.append(_object(text, f"{path} line {line}"))
    return found


def _object(text: bytes, where: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise ImportRefused(f"{where} is not JSON; copy the file again from where Ray wrote it") from None
    if not isinstance(read, dict):
        raise ImportRefused(f"{where} is not a JSON object; copy the file again from where Ray wrote it")
    return cast(dict[str, Any], read)


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, part in value.items():
        if isinstance(part, dict):
            yield from _leaves(cast(dict[str, Any], part), f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", part


def _numbers(values: Iterable[tuple[str, Any]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in values:
        if isinstance(value, bool) or value is None or name.startswith(_LEFT_OUT):
            continue
        try:
            found[name] = float(value)
        except (TypeError, ValueError):
            continue  # dates, names and lists
    return found


def _series(rows: list[dict[str, float]], folder: PurePosixPath) -> dict[str, Series]:
    step = next((name for name in _STEPS if any(name in row for row in rows)), None)
    if step is None:
        raise ImportRefused(f"{folder} counts neither steps nor iterations; expected one of {', '.join(_STEPS)}")
    points: dict[str, list[tuple[int, float, float]]] = {}
    for row in rows:
        if 0 <= row.get(step, -1) < 2**53:
            for name, value in row.items():
                if name not in (step, _SECONDS):
                    points.setdefault(name, []).append((int(row[step]), row.get(_SECONDS, 0.0), value))
    return {name: series_of(*zip(*each, strict=True)) for name, each in points.items()}


def _parameters(files: Files, folder: PurePosixPath) -> dict[str, Any]:
    content = files.get(str(folder / PARAMETERS))
    return dict(_leaves(_object(content, str(folder / PARAMETERS)))) if content is not None else {}


def _common(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """What all trials were given."""
    first = parameters[0]
    return {
        name: value
        for name, value in first.items()
        if isinstance(value, str | int | float | bool) and all(each.get(name) == value for each in parameters)
    }


def _without_seed(parameters: dict[str, Any]) -> str:
    kept = {name: value for name, value in parameters.items() if name.rpartition("/")[2] not in _SEEDS}
    return json.dumps(kept, sort_keys=True, default=str)


def _seed(parameters: dict[str, Any], place: int) -> int:
    found = next((parameters[name] for name in parameters if name.rpartition("/")[2] in _SEEDS), None)
    return found if isinstance(found, int) and 0 <= found < 2**53 else place


def _with_own_seeds(runs: list[ImportedRun]) -> list[ImportedRun]:
    """By place where two trials had the same seed."""
    if len({run.seed for run in runs}) == len(runs):
        return runs
    return [run._replace(seed=place) for place, run in enumerate(runs)]
