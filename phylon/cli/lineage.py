"""Commands about descent: `phylon lineage` and `phylon schedule`."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from phylon.cli.console import err, out, say
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.client import Client
from phylon.contract.lineage import RunLineage
from phylon.series import Series

if TYPE_CHECKING:
    from phylon.lineage.ancestry import Member

MOST_POINTS = 100_000
"""Evaluations of a run that the service gives at once."""

RUN = "Number of a run on the service, or a directory that `phylon train` wrote."


class LineageFormat(StrEnum):
    table = "table"
    json = "json"
    newick = "newick"
    ray = "ray"


def lineage(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help=RUN)] = None,
    format_: Annotated[LineageFormat, typer.Option("--format", help="What is written.")] = LineageFormat.table,
    out_: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="A file for json and newick, a directory for ray."),
    ] = None,
    import_ray: Annotated[
        Path | None,
        typer.Option("--import-ray", metavar="DIR", help="Instead of a run: where Ray Tune wrote pbt_global.txt."),
    ] = None,
    url: UrlOption = None,
) -> None:
    """Tell who descends from whom: founders alive, the winner's ancestry, what each operator gained, and the tree.

    Other formats take the lineage elsewhere: all of it as JSON, as Newick for programs that draw trees, or as Ray
    Tune's mutation logs.

    Example: `phylon lineage runs/first --format newick --out tree.nwk`
    """
    if (run is None) == (import_ray is None):
        raise BadInput("name either a run or, with --import-ray, a folder of Ray Tune")
    found, returns = _of_ray(import_ray) if import_ray else _load(run or "", url)
    if format_ is LineageFormat.ray:
        _write_ray(found, out_)
        return
    if format_ is LineageFormat.table:
        from phylon.cli.lineage_report import report

        if out_ is not None:
            raise BadInput("a table goes to the terminal; use --out with --format json, newick or ray")
        report(found, returns)
        if import_ray:
            err.print("Ray records neither fitness nor the first values of trials that none cloned.", highlight=False)
        return
    text = _as_json(found, returns) if format_ is LineageFormat.json else _as_newick(found)
    if out_ is None:
        out.print(text, end="", markup=False, highlight=False, soft_wrap=True)
    else:
        out_.write_text(text, encoding="utf-8")
        say(f"written to {escape(str(out_))}")


def schedule(
    run: Annotated[str, typer.Argument(metavar="RUN", help=RUN)],
    member: Annotated[
        str, typer.Option(metavar="best|N", help="The best at the last evaluation, or a number.")
    ] = "best",
    url: UrlOption = None,
) -> None:
    """Print the hyper-parameter schedule that a member's ancestors lived through.

    It is YAML and takes the place of `population.method` in a spec, which then trains fresh members along it, as does
    `--set "population.method=$(cat schedule.yaml)"`.

    Example: `phylon schedule 3 --member best > schedule.yaml`
    """
    from phylon.lineage.ancestry import NoSuchMember, choose
    from phylon.lineage.schedule import NothingTuned, schedule_of, schedule_yaml

    found, returns = _load(run, url)
    try:
        span = choose(found, returns, _member(member))
        text = schedule_yaml(schedule_of(found, span.id))
    except (NoSuchMember, NothingTuned) as error:
        raise BadInput(str(error)) from None
    err.print(f"schedule of member {span.slot}, span {span.id}", highlight=False)
    for tuned in found.tuned:
        if tuned.read != "training":
            err.print(f"{tuned.name} is read only at {tuned.read}", highlight=False)
    out.print(text, end="", markup=False, highlight=False, soft_wrap=True)


def _member(text: str) -> "Member":
    if text == "best":
        return "best"
    if text.isdecimal():
        return int(text)
    raise BadInput(f"--member is 'best' or a number, not '{text}'")


def _load(run: str, url: str | None) -> tuple[RunLineage, Series | None]:
    from phylon.cli.findings import of_folder  # here, because it loads numpy, which other commands need not wait for
    from phylon.returns import RETURN

    if run.isdecimal():
        with Client(url) as client:
            id = int(run)
            return client.lineage(id), client.metrics(id, [RETURN], MOST_POINTS).get(RETURN)
    found = of_folder(Path(run))
    return found.lineage, dict(found.series()).get(RETURN)


def _of_ray(folder: Path) -> tuple[RunLineage, None]:
    from phylon.lineage.ray_import import lineage_of_ray
    from phylon.lineage.ray_log import RayLogInvalid, is_log

    if not folder.is_dir():
        raise BadInput(f"'{folder}' is no folder; name the one where Ray wrote pbt_global.txt")
    try:
        files = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if is_log(path.name)}
        return lineage_of_ray(files), None
    except UnicodeDecodeError:
        raise BadInput(f"a log in '{folder}' is not text in UTF-8") from None
    except RayLogInvalid as error:
        raise BadInput(f"'{folder}': {error}") from None


def _write_ray(found: RunLineage, folder: Path | None) -> None:
    from phylon.lineage.ray_export import ray_files

    if folder is None:
        raise BadInput("Ray's logs are several files; name a directory with --out")
    folder.mkdir(parents=True, exist_ok=True)
    files = ray_files(found)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    say(f"{escape(str(folder))}/: {', '.join(files)}")


def _as_json(found: RunLineage, returns: Series | None) -> str:
    from phylon.lineage.summary import summarise

    document = found.model_dump(mode="json") | {"summary": summarise(found, returns).model_dump(mode="json")}
    return json.dumps(document, indent=1) + "\n"


def _as_newick(found: RunLineage) -> str:
    from phylon.lineage.newick import newick

    return newick(found)
