"""`phylon export`: a run's metrics and lineage as files for data frames, spreadsheets and TensorBoard."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import say
from phylon.cli.experiments import UrlOption
from phylon.client import Client


def export(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Number of a run on the service, or a directory that `phylon train` wrote."),
    ],
    out_: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where to. Default: run-NUMBER, or the run's own directory."),
    ] = None,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write metrics.csv, lineage.csv and interruptions.csv. The default.")
    ] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Write the same as .parquet files.")] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write event files: one directory a member, and population/.")
    ] = False,
    seeds: Annotated[
        bool, typer.Option("--seeds", help="Write returns as SR-SAC does: 0.txt, 1.txt, …, one per seed.")
    ] = False,
    url: UrlOption = None,
) -> None:
    """Write a run's metrics and lineage as files for other programs, with every value.

    Several formats may be asked for at once. A directory whose name is a number is written as ./3.

    Example: `phylon export 3 --tensorboard --out results`
    """
    from phylon.cli import findings  # here, because it loads numpy, which other commands need not wait for

    wanted = {"csv": csv, "parquet": parquet, "tensorboard": tensorboard, "seeds": seeds}
    formats = [name for name, chosen in wanted.items() if chosen] or ["csv"]
    if run.isdecimal():
        folder = out_ or Path(f"run-{run}")
        with Client(url) as client:
            written = findings.write(findings.of_service(client, int(run)), folder, formats)
    else:
        folder = out_ or Path(run)
        written = findings.write(findings.of_folder(Path(run)), folder, formats)
    say(f"{escape(str(folder))}/: {', '.join(written)}")
    if tensorboard:
        say(f"look at it with: tensorboard --logdir {escape(str(folder))}")
