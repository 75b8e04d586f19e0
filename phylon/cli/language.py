"""Commands that need no service: what a spec may say, and whether one is right."""

import os
from typing import Annotated

import typer
from rich.markup import escape

from phylon import catalogue
from phylon.cli.console import duration, number, out, print_json, print_table, say, show_notes, size
from phylon.cli.exits import BAD_INPUT, BadInput
from phylon.cli.spec_argument import SetOption, SpecArgument, load_document
from phylon.forecast.advice import members_that_fit
from phylon.forecast.disk import checkpoint_disk
from phylon.forecast.memory import members_at_once, population_memory
from phylon.presets import list_presets, load_preset
from phylon.spec import ExperimentSpec, Group, RuntimeStudySpec, SpecInvalid, tuned
from phylon.spec.budget import BudgetSpec

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]


def validate(
    spec: SpecArgument,
    set_: SetOption = None,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="Print what will really run, with every default, as YAML.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check a spec, a group of them or a runtime study, without running it.

    Says every problem with its path, value and remedy, and exits with 2 if there is any. Notes say what will differ
    from what was written.

    Example: `phylon validate experiment.yaml --set population.size=16 --resolved`
    """
    try:
        resolution = load_document(spec, set_)
    except SpecInvalid as error:
        if not json:
            raise
        print_json({"valid": False, "problems": error.problems, "notes": [], "spec": None})
        raise typer.Exit(BAD_INPUT) from None
    valid, notes = resolution
    if json:
        plain = (valid.spec if isinstance(valid, Group) else valid).model_dump(mode="json")
        print_json({"valid": True, "problems": [], "notes": notes, "spec": plain})
        return
    show_notes(notes)
    if resolved:
        out.print(resolution.to_yaml().rstrip(), markup=False, highlight=False, soft_wrap=True)
        return
    if isinstance(valid, Group):
        runs = sum(experiment.replicates for experiment in valid.experiments.values())
        count = len(valid.experiments)
        say(f"[green]valid[/]: {valid.spec.name} is a group of {count} experiments with {runs} runs")
        for suffix, experiment in valid.experiments.items():
            changes = valid.spec.experiments[suffix]
            changed = ", ".join(f"{path} = {value}" for path, value in changes.items())
            say(f"  {_in_words(experiment)}" + (f"\n    {escape(changed)}" if changed else ""))
        return
    if isinstance(valid, RuntimeStudySpec):
        say(f"[green]valid[/]: {valid.name} is a runtime study of {len(valid.cells())} cells")
        return
    say(f"[green]valid[/]: {_in_words(valid)}")
    memory = population_memory(valid)
    at_once = members_at_once(valid, cores=os.cpu_count() or 1, is_cpu=True)
    whole = memory.of(valid.population.size, at_once)
    fit = members_that_fit(memory, True, at_once, _own_memory(), None).members
    say(f"memory: about {size(whole.device)} of the device and {size(whole.host)} of its host, environments apart")
    say(f"  on the processor of this machine ({size(_own_memory())}) {fit:,} such members have room")
    disk = checkpoint_disk(valid)
    each = f"{disk.kept:,} checkpoints of {size(disk.bytes)}"
    say(f"disk: at most {size(disk.total * valid.replicates)}, for {each} in each of {valid.replicates:,} runs")


def _own_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _in_words(spec: ExperimentSpec) -> str:
    names = ", ".join(tuned(spec.algorithm))
    return (
        f"{spec.name} trains {spec.population.size} {spec.algorithm.name} members on "
        f"{spec.environment.id} for {_limits(spec.budget)}; "
        f"{spec.population.method.name} tunes {names or 'nothing'}"
    )


def _limits(budget: BudgetSpec) -> str:
    limits = [f"{budget.env_steps:,} steps each"]
    if budget.seconds is not None:
        limits.append(duration(budget.seconds))
    if budget.target_return is not None:
        limits.append(f"until a return of {number(budget.target_return)}")
    if budget.plateau is not None:
        limits.append(f"until {budget.plateau.evaluations:,} evaluations without a rise of the best return")
    return " or ".join(limits)


def presets(
    name: Annotated[
        str | None, typer.Argument(help="Print the YAML of this preset; without it, list them all.")
    ] = None,
) -> None:
    """List experiments and studies that are ready to run, or print one as YAML.

    Presets whose name ends in -smoke take about a minute on two CPU cores.

    Example: `phylon presets td3-pbt-pendulum-smoke > experiment.yaml`
    """
    if name is not None:
        out.print(load_preset(name).yaml.rstrip(), markup=False, highlight=False, soft_wrap=True)
        return
    print_table(["preset", "what it is"], [(preset.name, preset.description) for preset in list_presets()])


def environments(
    suite: Annotated[str | None, typer.Option(help="Only those of this suite, e.g. envpool.")] = None,
    search: Annotated[
        str | None, typer.Option(help="Only those with this word in their id or family, e.g. atari.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the environments that a spec may name, with their observations and actions.

    Example: `phylon environments --search cheetah`
    """
    suites = sorted({entry.suite for entry in catalogue.entries()})
    if suite is not None and suite not in suites:
        raise BadInput(f"there is no suite '{suite}'; use one of {', '.join(suites)}")
    found = catalogue.search(suite, search)
    if json:
        print_json([entry.model_dump(mode="json") for entry in found])
        return
    rows = [
        (e.suite, e.family, e.id, e.observation.describe(), e.action.describe(), str(e.max_episode_steps or "-"))
        for e in found
    ]
    print_table(["suite", "family", "id", "observations", "actions", "episode"], rows, right=["episode"])
