"""`phylon study`: what an update of a population costs on this machine, by framework, strategy and size."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from phylon.child_process import ChildProcess
from phylon.cli.children import describe_crash, start_child
from phylon.cli.console import err, print_json, print_table, say, size
from phylon.cli.exits import INTERRUPTED, BadInput, WorkFailed
from phylon.cli.experiments import UrlOption
from phylon.cli.extras import require_worker
from phylon.cli.language import JsonOption
from phylon.cli.spec_argument import SetOption, SpecArgument, load_study
from phylon.client import Client
from phylon.contract.outcomes import JobFailed
from phylon.contract.protocol import OUTCOMES
from phylon.contract.studies import StudySummary
from phylon.contract.study_events import Progress as StudyProgress
from phylon.contract.study_events import StudyEvent, study_event
from phylon.job_folder import write_request
from phylon.spec import RuntimeStudySpec
from phylon.spool import SPOOL_FILE, SpoolReader
from phylon.study import STUDY_FILE, Study, StudyDamaged, read
from phylon.study_folder import StudyRequest
from phylon.study_table import Row, default_baseline, rows, to_csv

LOG_FILE = "study.log"
POLL_SECONDS = 0.2
COLUMNS = ["algorithm", "members", "updates", "batch", "hidden", "contender", "ms/update", "quartiles", "speed-up"]


def study(
    spec: SpecArgument,
    out_: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where everything is written. Default: studies/NAME-OF-SPEC."),
    ] = None,
    set_: SetOption = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="What speed-ups are over, e.g. 'jax vectorized'. Default: torch sequential, if measured."),
    ] = None,
    upload: Annotated[bool, typer.Option("--upload", help="Hand the result to the service, for its page.")] = False,
    submit: Annotated[bool, typer.Option("--submit", help="Put it into the service's queue instead.")] = False,
    worker: Annotated[str | None, typer.Option(help="With --submit: only the worker of this name may take it.")] = None,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Measure what updating a population costs on this machine, and print the table.

    Every cell runs in processes of its own; one that runs out of memory is recorded, and the study goes on. Ctrl-C
    ends it; the same command takes it up again. Let nothing else run meanwhile.

    With --submit a worker of the service does it.

    Example: `phylon study figure2-td3-sac-smoke --out studies/first`
    """
    wanted = load_study(spec, set_)
    if submit or worker is not None:
        _submit(wanted, worker, json, url)
        return
    require_worker()
    folder = out_ or Path("studies") / wanted.name
    _prepare(folder, wanted)
    _measure(folder, len(wanted.cells()))
    found = read(folder / STUDY_FILE)
    chosen = baseline or default_baseline(found.measurements)
    if baseline and baseline not in {measurement.contender for measurement in found.measurements}:
        raise BadInput(f"nothing called '{baseline}' was measured; use one of {', '.join(_contenders(found))}")
    (folder / "study.csv").write_text(to_csv(found.measurements, chosen), encoding="utf-8")
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        _show(found, chosen)
        say(escape(f"{folder}/: {STUDY_FILE}, study.csv, {LOG_FILE}"))
    if upload:
        with Client(url) as client:
            stored = client.upload_study(folder / STUDY_FILE)
        err.print(f"study {stored.id} is on the service: {client.url}/studies?ids={stored.id}", highlight=False)


def _submit(spec: RuntimeStudySpec, worker: str | None, json: bool, url: str | None) -> None:
    with Client(url) as client:
        known = {found.name: found.id for found in client.workers()}
        if worker is not None and worker not in known:
            raise BadInput(f"there is no worker '{worker}'; the service knows {', '.join(known) or 'none'}")
        stored = client.submit_study(spec, None if worker is None else known[worker])
    if json:
        print_json(stored.model_dump(mode="json"))
    else:
        say(f"study [bold]{stored.id}[/] ({escape(stored.name)}) is {stored.status}: {stored.total} cells")


def _prepare(folder: Path, spec: RuntimeStudySpec) -> None:
    """Writes what is to be measured. A directory that holds another study is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = read(folder / STUDY_FILE).spec
    except FileNotFoundError:
        held = spec
    except (FileExistsError, NotADirectoryError):
        raise BadInput(f"'{folder}' is a file; --out names a directory") from None
    except StudyDamaged as error:
        raise BadInput(f"{error}; choose another directory with --out") from None
    if held != spec:
        names = [name for name in RuntimeStudySpec.model_fields if getattr(held, name) != getattr(spec, name)]
        raise BadInput(
            f"'{folder}' already holds another study ({', '.join(names)} differ); choose another directory with --out"
        )
    request = StudyRequest(
        spec=spec.model_dump(mode="json"), next_seq=0, machine=None, measurements=[], if_other_machine="refuse"
    )
    write_request(folder, request)


def _measure(folder: Path, total: int) -> None:
    bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err)
    try:
        with bar, start_child("phylon.worker.studies", folder, LOG_FILE) as child:
            outcome = _follow(folder, total, child, bar)
    except KeyboardInterrupt:
        err.print(f"interrupted; the same command goes on with the study in {folder}", markup=False, highlight=False)
        raise typer.Exit(INTERRUPTED) from None
    if isinstance(outcome, JobFailed):
        raise BadInput(outcome.message)
    if outcome is None:
        raise WorkFailed(describe_crash("study's process", child, folder / LOG_FILE))


def _follow(folder: Path, total: int, child: ChildProcess, bar: Progress) -> StudyEvent | None:
    """The event that ended it, if any did."""
    reader = SpoolReader(folder / SPOOL_FILE, adapter=study_event)
    task = bar.add_task("starting", total=total)
    shown, ended = "", False
    while not ended:
        ended = child.exit_code is not None  # asked before the last read, so that nothing written is missed
        for event in reader.read():
            bar.update(task, completed=event.step)
            if event.kind in OUTCOMES:
                return event
            if isinstance(event, StudyProgress):
                bar.update(task, description=event.text)
                work = event.text.split(":")[0]
                if not err.is_terminal and work != shown:
                    err.print(f"{event.step}/{total} {event.text}", markup=False, highlight=False)
                shown = work
        if not ended:
            time.sleep(POLL_SECONDS)
    return None


def _show(found: Study, baseline: str | None) -> None:
    machine = found.machine
    versions = ", ".join(f"{name} {number}" for name, number in machine.versions.items())
    say(f"[bold]{escape(found.spec.name)}[/] on {escape(machine.device_name)}, {machine.cores} cores ({versions})")
    table = [_cells(row) for row in rows(found.measurements, baseline)]
    print_table(
        [*COLUMNS, "first call", "memory"], table, right=["members", "updates", "batch", "ms/update", "speed-up"]
    )
    if baseline:
        say(f"speed-up is over {baseline} at the same work; medians and quartiles of {found.spec.repeats} repeats")


def _cells(row: Row) -> list[str]:
    found = row.measurement
    work = [
        found.algorithm,
        str(found.population_size),
        str(found.fused_updates),
        str(found.batch_size),
        "x".join(map(str, found.hidden)),
        found.contender,
    ]
    if found.median is None or found.low is None or found.high is None:
        return [*work, found.status.replace("_", " "), (found.reason or "")[:60], "", "", ""]
    speedup = "" if row.speedup is None else f"{row.speedup:.2f}x"
    memory = "" if found.peak_memory_bytes is None else size(found.peak_memory_bytes)
    quartiles = f"{found.low:.4g} to {found.high:.4g}"
    return [*work, f"{found.median:.4g}", quartiles, speedup, f"{found.compile_seconds or 0:.1f} s", memory]


def _contenders(found: Study) -> list[str]:
    return list(dict.fromkeys(measurement.contender for measurement in found.measurements))


def studies(json: JsonOption = False, url: UrlOption = None) -> None:
    """List the studies of the service: how far each is, and on which worker.

    Example: `phylon studies --json`
    """
    with Client(url) as client:
        found = client.studies()
    if json:
        print_json([each.model_dump(mode="json") for each in found])
        return
    print_table(["id", "name", "status", "cells", "worker"], map(_summary_row, found), right=["id", "cells"])


def _summary_row(study: StudySummary) -> list[str]:
    return [str(study.id), study.name, study.status, f"{study.done}/{study.total}", study.worker_name or "-"]
