"""Every command and every option explains itself, with an example that the command itself would accept."""

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from phylon.cli.app import GROUPS, app
from phylon.cli.exits import EXIT_CODES

ROOT: Any = get_command(app)
COMMANDS = sorted(ROOT.commands)


def test_the_commands_are_those_of_the_issue():
    expected = (
        "up serve worker migrate validate presets environments train submit list show watch stop groups logs download "
        "lineage schedule export study"
    )
    assert set(COMMANDS) == set(expected.split())
    assert set(COMMANDS) == {name for commands in GROUPS.values() for name in commands}


def test_the_exit_codes_are_told(phylon):
    shown = " ".join(phylon("--help").output.split())
    assert " ".join(EXIT_CODES.split()) in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself(phylon, name: str):
    result = phylon(name, "--help")
    assert result.exit_code == 0
    help_text = ROOT.commands[name].help
    assert len(help_text.splitlines()[0]) > 15
    (example,) = re.findall(r"Example: `(.+)`", help_text)
    words = [word for word in shlex.split(example.partition(">")[0]) if "=..." not in word and "=sqlite" not in word]
    assert words[:2] == ["phylon", name]
    ROOT.commands[name].make_context(name, words[2:])  # parses: names a real option and gives it a legal value


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_argument_has_a_text(name: str):
    for parameter in ROOT.commands[name].params:
        assert parameter.help and len(parameter.help) > 10, f"{name} {parameter.name} says nothing"


def test_no_arguments_show_the_help(phylon):
    assert "Work without a service" in phylon().output


def test_version(phylon):
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", phylon("--version").output)
