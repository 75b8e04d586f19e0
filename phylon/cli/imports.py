"""`phylon import`: results from elsewhere, as an experiment to compare with."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from phylon.cli.console import number, print_json, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import ProjectOption, UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.experiments import Experiment
from phylon.contract.imports import ImportFormat


def import_(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a directory with all that is one.")],
    format: Annotated[
        str, typer.Option(help="auto, csv, sr_sac, ray or tensorboard. auto goes by the names of the files.")
    ] = "auto",
    name: Annotated[str | None, typer.Option(help="Of the experiment. Default: that of the path.")] = None,
    environment: Annotated[
        str | None, typer.Option(help="Id of its environment: it is compared with experiments of the same.")
    ] = None,
    algorithm: Annotated[str | None, typer.Option(help="What trained it.")] = None,
    return_name: Annotated[
        str | None, typer.Option(help="What the files call the return. Default: the usual names.")
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Store results of other programs on the service, to compare with.

    Reads CSV (columns step, return; seed, seconds, final, episodes where you have them), SR-SAC's text files per seed,
    the folder of a Ray Tune experiment, and TensorBoard's event files. They become an experiment with a run per seed,
    which can be organised and compared, and never trained.

    Example: `phylon import results/sac.csv --name sac-paper --environment HalfCheetah-v5`
    """
    from phylon.imports.collecting import collect  # here, because it loads numpy, which others need not wait for
    from phylon.imports.results import ImportRefused

    if format not in ("auto", *ImportFormat):
        raise BadInput(f"there is no format '{format}'; choose one of auto, {', '.join(ImportFormat)}")
    chosen = None if format == "auto" else ImportFormat(format)
    try:
        found = collect(path, chosen)
    except ImportRefused as error:
        raise BadInput(str(error)) from None
    with Client(url) as client:
        made = [client.import_results(each, name, None, environment, algorithm, return_name, project) for each in found]
    if json:
        print_json([experiment.model_dump(mode="json") for experiment in made])
        return
    for experiment in made:
        say(_line(experiment))
    say(f"compare it: phylon compare {' '.join(str(each.id) for each in made)} EXPERIMENT")


def _line(experiment: Experiment) -> str:
    source = experiment.imported
    known = f" of {source.format.value}, return: {source.return_name}" if source else ""
    last = [run.last_return for run in experiment.runs if run.last_return is not None]
    mean = number(sum(last) / len(last)) if last else "-"
    environment = experiment.spec["environment"]["id"]
    return (
        f"experiment [bold]{experiment.id}[/] ({escape(experiment.name)}): {len(experiment.runs)} runs on "
        f"{escape(environment)}{escape(known)}, mean last return {mean}"
    )
