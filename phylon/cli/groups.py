"""`phylon groups`: experiments that were submitted together."""

from pathlib import Path
from typing import Annotated

import typer

from phylon.cli.console import print_json, print_table
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.group_watching import show_group
from phylon.cli.language import JsonOption
from phylon.cli.seeds import write_group
from phylon.client import Client
from phylon.contract.groups import GroupSummary


def groups(
    group: Annotated[
        int | None, typer.Argument(metavar="[GROUP]", help="Show the group with this number; without it, list all.")
    ] = None,
    seeds: Annotated[
        Path | None,
        typer.Option("--seeds", metavar="DIR", help="Write each experiment's returns to DIR, one text file per seed."),
    ] = None,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the groups of experiments, or show one: tasks with their mean and interquartile mean, arms one by one.

    Example: `phylon groups 2 --json`
    """
    if group is None and seeds:
        raise BadInput("--seeds needs the number of a group, e.g. phylon groups 2 --seeds returns")
    with Client(url) as client:
        if group is None:
            found = client.groups()
            if json:
                print_json([each.model_dump(mode="json") for each in found])
            else:
                columns = ["id", "name", "status", "experiments", "progress", "owner", "project"]
                print_table(columns, map(_row, found), right=["id", "experiments", "progress"])
            return
        found = client.group(group)
        if seeds is not None:
            write_group(client, found, seeds)
            return
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        show_group(found)


def _row(group: GroupSummary) -> list[str]:
    state = [group.status or "empty", str(group.size), f"{group.progress:.0%}"]
    return [str(group.id), group.name, *state, group.owner.name, group.project.name]
