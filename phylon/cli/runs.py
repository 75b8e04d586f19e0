"""Commands about the runs of an experiment: watch, logs, download."""

import json
from pathlib import Path
from typing import Annotated

import typer

from phylon.cli.console import err, out, say, size
from phylon.cli.exits import INTERRUPTED, BadInput
from phylon.cli.experiments import ExperimentArgument, UrlOption
from phylon.cli.watching import watch_experiment
from phylon.client import Client
from phylon.contract.experiments import Experiment
from phylon.contract.runs import Run


def watch(experiment: ExperimentArgument, url: UrlOption = None) -> None:
    """Follow an experiment until it ends: one progress bar a run, or one line at each evaluation in a log.

    Exits with 1 when a run failed. Ctrl-C ends the watching; the experiment goes on.

    Example: `phylon watch 3`
    """
    with Client(url) as client:
        watch_experiment(client, client.experiment(experiment))


def logs(
    experiment: ExperimentArgument,
    replicate: Annotated[int, typer.Option(help="Which of the experiment's runs.")] = 0,
    attempt: Annotated[int | None, typer.Option(help="Only this attempt of the run; without it, all.")] = None,
    rank: Annotated[int | None, typer.Option(help="Of a run on several hosts only this one, counted from 0.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the run ends.")] = False,
    url: UrlOption = None,
) -> None:
    """Print what a run's trainer and supervisor wrote.

    Example: `phylon logs 3 --follow`
    """
    with Client(url) as client:
        run = choose_run(client.experiment(experiment), replicate)
        try:
            for line in client.logs(run.id, attempt, follow, rank):
                who = f"rank {line.rank} {line.stream}" if line.rank else line.stream
                text = f"{line.created_at:%H:%M:%S} {line.attempt} {who:<10} {line.text}"
                out.print(text, markup=False, highlight=False, soft_wrap=True)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


def download(
    experiment: ExperimentArgument,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where to. Default: experiment-NUMBER.")
    ] = None,
    checkpoints: Annotated[
        bool, typer.Option(help="Also fetch the checkpoints, which hold weights and replay and may be large.")
    ] = True,
    url: UrlOption = None,
) -> None:
    """Fetch everything that the service knows of an experiment: spec, metrics, lineage, logs, videos, checkpoints.

    Example: `phylon download 3 --out results --no-checkpoints`
    """
    target = folder or Path(f"experiment-{experiment}")
    with Client(url) as client:
        found = client.experiment(experiment)
        target.mkdir(parents=True, exist_ok=True)
        (target / "spec.yaml").write_text(found.yaml, encoding="utf-8")
        for run in found.runs:
            _download_run(client, run, target / f"run-{run.id}", checkpoints)
    say(f"everything of experiment [bold]{experiment}[/] lies in {target}/")


def _download_run(client: Client, run: Run, folder: Path, checkpoints: bool) -> None:
    from phylon.cli import findings  # here, because it loads numpy, which other commands need not wait for

    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run.model_dump(mode="json"), indent=1), encoding="utf-8")
    findings.write(findings.of_service(client, run.id), folder, ["csv"])
    with (folder / "log.txt").open("w", encoding="utf-8") as file:
        lines = client.logs(run.id)
        file.writelines(f"{line.created_at:%Y-%m-%d %H:%M:%S} {line.attempt} {line.text}\n" for line in lines)
    for artifact in client.artifacts(run.id):
        if artifact.kind == "checkpoint" and not checkpoints:
            continue
        path = client.download(artifact, folder / f"{artifact.kind}s")
        err.print(f"{path} ({size(artifact.bytes)})", markup=False, highlight=False, soft_wrap=True)


def choose_run(experiment: Experiment, replicate: int) -> Run:
    for run in experiment.runs:
        if run.replicate == replicate:
            return run
    raise BadInput(
        f"experiment {experiment.id} has no replicate {replicate}; use a number below {len(experiment.runs)}"
    )
