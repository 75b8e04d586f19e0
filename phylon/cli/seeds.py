"""`phylon seeds`: results in text files per seed, ours or published ones: mean, interquartile mean, intervals."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phylon.cli.console import number, print_json, print_table, say
from phylon.cli.exits import BadInput
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.groups import ExperimentGroup

if TYPE_CHECKING:
    from phylon.statistics import Estimate, Scores


def seeds(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="With files 0.txt, 1.txt, …, or with such directories.")
    ],
    step: Annotated[
        int | None, typer.Option(min=0, help="The environment step to compare at. Default: the last of each seed.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare results that are written as one text file per seed, as SR-SAC's published ones are.

    Prints mean and deviation of each directory, and mean and interquartile mean of all, with 95 % intervals.
    `phylon export RUN --seeds` and `phylon groups GROUP --seeds DIR` write such files.

    Example: `phylon seeds results/dmc15 --step 500000`
    """
    from phylon.statistics import aggregate  # here, because it loads numpy, which other commands need not wait for

    scores = {folder: _scores(folder, step) for folder in _with_files(folders)}
    measured = {folder: samples for folder, samples in scores.items() if samples.size}
    if not measured:
        raise BadInput(f"no seed has a return at {f'step {step:,}' if step is not None else 'any step'}")
    found = aggregate(list(measured.values()))
    if json:
        print_json(
            {
                "step": step,
                "directories": [{"directory": str(f), "returns": samples.tolist()} for f, samples in scores.items()],
                "mean": found.mean._asdict(),
                "interquartile_mean": found.interquartile_mean._asdict(),
            }
        )
        return
    columns = ["directory", "seeds", "mean", "deviation"]
    print_table(columns, [_row(folder, samples) for folder, samples in scores.items()], right=columns[1:])
    basis = f"{sum(samples.size for samples in measured.values())} seeds in {len(measured)} directories"
    say(f"interquartile mean {_in_words(found.interquartile_mean)}, {basis}")
    say(f"mean {_in_words(found.mean)}")


def write_group(client: Client, group: ExperimentGroup, folder: Path) -> None:
    """One directory per experiment of the group, named as it is."""
    from phylon.export.seed_files import write_seed_files
    from phylon.returns import RETURN

    for each in group.experiments:
        experiment = client.experiment(each.id)
        series = [client.metrics(run.id, [RETURN]).get(RETURN) for run in experiment.runs]
        runs = [run for run in series if run is not None]
        written = write_seed_files(folder / each.name, runs, experiment.spec["population"]["method"]["name"])
        say(f"{folder / each.name}/: {len(written)} files")


def _with_files(folders: list[Path]) -> list[Path]:
    """The directories that hold files, themselves or one level down."""
    found: list[Path] = []
    for folder in folders:
        inside = [folder, *sorted(path for path in folder.glob("*/"))] if folder.is_dir() else []
        having = [path for path in inside if any(file.stem.isdecimal() for file in path.glob("*.txt"))]
        if not having:
            raise BadInput(f"'{folder}' holds no files such as 0.txt; name a directory with one text file per seed")
        found += having
    return found


def _scores(folder: Path, step: int | None) -> "Scores":
    from phylon.export.seed_files import SeedFileDamaged, read_seed_files, scores_at

    try:
        return scores_at(read_seed_files(folder), step)
    except SeedFileDamaged as error:
        raise BadInput(str(error)) from None


def _row(folder: Path, samples: "Scores") -> list[str]:
    if not samples.size:
        return [str(folder), "0", "-", "-"]
    return [str(folder), str(samples.size), number(float(samples.mean())), number(float(samples.std()))]


def _in_words(estimate: "Estimate") -> str:
    if estimate.low is None or estimate.high is None:
        return f"{number(estimate.value)} (no interval: a directory has one seed)"
    return f"{number(estimate.value)} (95 % interval {number(estimate.low)} to {number(estimate.high)})"
