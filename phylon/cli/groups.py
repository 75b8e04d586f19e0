"""`phylon groups`: experiments that were submitted together."""

from typing import Annotated

import typer

from phylon.cli.console import print_json, print_table
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.group_watching import show_group
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.groups import GroupSummary


def groups(
    group: Annotated[
        int | None, typer.Argument(metavar="[GROUP]", help="Show the group with this number; without it, list all.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="Stop every experiment of it, each with a checkpoint.")] = False,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the groups of experiments, or show one with its mean and interquartile mean.

    Example: `phylon groups 2 --json`
    """
    if group is None and stop:
        raise BadInput("--stop needs the number of a group, e.g. phylon groups 2 --stop")
    with Client(url) as client:
        if group is None:
            found = client.groups()
            if json:
                print_json([each.model_dump(mode="json") for each in found])
            else:
                columns = ["id", "name", "status", "experiments", "progress"]
                print_table(columns, map(_row, found), right=["id", "experiments", "progress"])
            return
        found = client.stop_group(group) if stop else client.group(group)
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        show_group(found)


def _row(group: GroupSummary) -> list[str]:
    return [str(group.id), group.name, group.status or "empty", str(group.size), f"{group.progress:.0%}"]
