"""CSV files. One row per evaluation, with the columns

    step      environment steps of each member; required
    return    the return of the evaluation; required (or the column that --return-name names)
    seed      which run the row belongs to; or `run`. Without it, each file is a run
    seconds   since the run began
    final     the run's return in episodes that no selection saw; its last value counts
    episodes  how many episodes `final` is the mean of

Any other column of numbers is a metric of that name. The `metrics.csv` of our own exports is read too.
"""

import csv
import io

from phylon.export.metrics import COLUMNS, series_of_csv
from phylon.imports.results import (
    Files,
    Final,
    ImportedResults,
    ImportedRun,
    ImportRefused,
    choose_return,
    number,
    series_of,
    with_return,
)
from phylon.returns import FINAL_RETURN, RETURN

_KNOWN = frozenset({"seed", "run", "step", "seconds", "final", "episodes"})
_RETURNS = ("return", "evaluation/return", "reward", "score")
_OWN_HEADER = [column.name for column in COLUMNS]

Rows = list[tuple[int, dict[str, str]]]
"""With the number of the line."""


def read(files: Files, return_name: str | None) -> ImportedResults:
    texts = {path: _text(path, content) for path, content in files.items() if path.lower().endswith(".csv")}
    own = [path for path, text in texts.items() if _header(text) == _OWN_HEADER]
    if len(own) == len(texts):
        return ImportedResults([_own_run(seed, path, texts[path]) for seed, path in enumerate(sorted(own))], RETURN)
    runs: dict[str, tuple[str, Rows]] = {}
    chosen = ""
    for path in sorted(texts):
        rows = csv.DictReader(io.StringIO(texts[path]))
        header = list(rows.fieldnames or [])
        if "step" not in header:
            raise ImportRefused(f"{path} has no column 'step'; its first line must name the columns, 'step' among them")
        chosen = choose_return(header, return_name, _RETURNS, path)
        label = next((name for name in ("seed", "run") if name in header), None)
        for line, row in enumerate(rows, start=2):
            key = (row[label] or "").strip() if label else path
            runs.setdefault(key, (path, []))[1].append((line, row))
    if not runs:
        raise ImportRefused("these files hold no rows; export at least one evaluation per run")
    seeds = _seeds(list(runs))
    return ImportedResults([_run(seeds[key], *rows, chosen) for key, rows in runs.items()], chosen)


def _run(seed: int, path: str, rows: Rows, return_name: str) -> ImportedRun:
    names = [name for name in rows[0][1] if name and name not in _KNOWN]
    columns: dict[str, list[tuple[int, float, float]]] = {}
    final: Final | None = None
    for line, row in rows:
        where = f"{path} line {line}"
        step = _step(row["step"], where)
        seconds = number(row.get("seconds") or "0", f"seconds in {where}")
        for name in names:
            text = (row.get(name) or "").strip()
            if text and (name == return_name or _is_number(text)):
                columns.setdefault(name, []).append((step, seconds, number(text, f"{name} in {where}")))
        if (row.get("final") or "").strip():
            episodes = (row.get("episodes") or "").strip()
            of = _step(episodes, f"episodes in {where}") if episodes else None
            final = Final(number(row["final"], f"final in {where}"), of)
    series = {name: series_of(*zip(*column, strict=True)) for name, column in columns.items()}
    if return_name not in series:
        raise ImportRefused(f"{path} has no value of '{return_name}' for the run of seed {seed}; leave that run out")
    return ImportedRun(seed, with_return(series, return_name), final)


def _own_run(seed: int, path: str, text: str) -> ImportedRun:
    try:
        series = dict(series_of_csv(text.splitlines()))
    except (ValueError, IndexError):
        raise ImportRefused(f"{path} begins as our metrics.csv but cannot be read; export the run again") from None
    if RETURN not in series:
        raise ImportRefused(f"{path} has no {RETURN}; export the run after its first evaluation")
    final = series.get(FINAL_RETURN)
    # Of several members the winner had to be chosen before these episodes, and the file does not say who that was.
    known = final is not None and final.values.shape[1] == 1
    return ImportedRun(seed, series, Final(float(final.values[-1, 0]), None) if final is not None and known else None)


def _seeds(labels: list[str]) -> dict[str, int]:
    """The labels themselves where all are different whole numbers, else their places."""
    numbers = [int(label) for label in labels if label.isdecimal() and len(label) < 16]
    return dict(zip(labels, numbers if len(set(numbers)) == len(labels) else range(len(labels)), strict=True))


def _step(text: str | None, where: str) -> int:
    value = number((text or "").strip(), f"step in {where}")
    if not 0 <= value < 2**53 or value != int(value):
        raise ImportRefused(f"step in {where} is '{text}'; steps are whole numbers from 0 on")
    return int(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _header(text: str) -> list[str]:
    return next(csv.reader(text.splitlines()[:1]), list[str]())


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportRefused(f"{path} is not UTF-8 text; save it as CSV in UTF-8") from None
