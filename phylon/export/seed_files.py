"""Returns per seed in the text files of SR-SAC's repository, so that published results and ours can be compared.

A directory per task with `0.txt`, `1.txt`, …, one file per seed. Each line is an evaluation: `step return`, the return
being the mean of its episodes, with one decimal.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.registry import methods
from phylon.returns import best_of
from phylon.series import Series


class SeedReturns(NamedTuple):
    steps: NDArray[np.int64]
    returns: NDArray[np.float64]


class SeedFileDamaged(ValueError):
    pass


def write_seed_files(folder: Path, runs: Sequence[Series], method: str) -> list[str]:
    """The returns of one experiment's runs, one file per sample, numbered throughout; gives the files' names.

    Members that know nothing of each other are a sample each. Of members that copy each other the best one counts, at
    each evaluation. The numbered files of an earlier export are replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in _numbered(folder):
        old.unlink()
    samples = [SeedReturns(run.steps, returns) for run in runs for returns in _samples(run, method)]
    for number, (steps, returns) in enumerate(samples):
        lines = (f"{step} {value:.1f}\n" for step, value in zip(steps.tolist(), returns.tolist(), strict=True))
        (folder / f"{number}.txt").write_text("".join(lines), encoding="utf-8")
    return [f"{number}.txt" for number in range(len(samples))]


def _samples(run: Series, method: str) -> list[NDArray[np.float64]]:
    """[ticks] each. A method that is not installed here may have copied members."""
    if method in methods() and methods()[method].is_sample_per_member:
        return list(run.values.T)
    return [np.array([best_of(tick) for tick in run.values])]


def read_seed_files(folder: Path) -> dict[int, SeedReturns]:
    """By seed, in order. Raises `SeedFileDamaged` for a file that holds anything else."""
    return {int(file.stem): parse_seed_file(file.read_text(encoding="utf-8"), str(file)) for file in _numbered(folder)}


def _numbered(folder: Path) -> list[Path]:
    return sorted((file for file in folder.glob("*.txt") if file.stem.isdecimal()), key=lambda file: int(file.stem))


def parse_seed_file(text: str, file: str) -> SeedReturns:
    """`file` is its name in what is said about a damaged line."""
    steps, returns = list[int](), list[float]()
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            step, value = line.split()
            steps.append(int(float(step)))  # numpy's savetxt may have written 5.000e+03
            returns.append(float(value))
        except (ValueError, OverflowError):  # too few words, no numbers, or an infinite step
            raise SeedFileDamaged(
                f"{file} line {number} is '{line[:60]}', not 'step return' such as '5000 123.4'; correct or remove it"
            ) from None
    return SeedReturns(np.array(steps, np.int64), np.array(returns, np.float64))


def scores_at(seeds: dict[int, SeedReturns], step: int | None) -> NDArray[np.float64]:
    """Each seed's return at this step, or at its last; seeds without a number there are left out."""
    found = [
        seed.returns[-1:] if step is None else seed.returns[seed.steps == step][-1:]
        for seed in seeds.values()
        if seed.steps.size
    ]
    scores = np.concatenate(found) if found else np.empty(0)
    return scores[np.isfinite(scores)]
