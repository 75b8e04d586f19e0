"""Every command and every option explains itself, with an example that the command itself would accept."""

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from phylon.cli.app import EXIT_CODES, GROUPS, OPERATIONS, app, load, summary

ROOT: Any = get_command(app)
LOADED: dict[str, Any] = {name: load(name) for name in ROOT.commands}
ALL = LOADED | {f"workers {name}": command for name, command in LOADED["workers"].commands.items()}
COMMANDS = sorted(ALL)


def test_the_commands_are_those_of_the_issue():
    expected = (
        "up serve worker migrate validate presets environments train submit list show watch stop groups logs download "
        "pause resume retry extend attempts lineage schedule policy play export seeds study login logout tokens people "
        "projects audit workers backup restore doctor webhooks queue prioritise move studies compare explain tag note "
        "star archive rename fork controls import check-environment evaluations"
    )
    assert set(ROOT.commands) == set(expected.split())
    assert set(LOADED["workers"].commands) == set(OPERATIONS)


def test_what_is_shown_before_a_command_is_loaded_is_what_it_says_of_itself():
    for commands in GROUPS.values():
        for name, place in commands.items():
            assert " ".join(summary(place).split()) == " ".join(LOADED[name].help.partition("\n\n")[0].split())


def test_the_exit_codes_are_told(phylon):
    shown = " ".join(phylon("--help").output.split())
    assert " ".join(EXIT_CODES.split()) in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself(phylon, name: str):
    result = phylon(*name.split(), "--help")
    assert result.exit_code == 0
    help_text = ALL[name].help
    assert len(help_text.splitlines()[0]) > 15
    (example,) = re.findall(r"Example: `(.+)`", help_text)
    words = [word for word in shlex.split(example.partition(">")[0]) if "=..." not in word and "=sqlite" not in word]
    count = 1 + len(name.split())
    assert words[:count] == ["phylon", *name.split()]
    ALL[name].make_context(name, words[count:])  # parses: names a real option and gives it a legal value


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_and_argument_has_a_text(name: str):
    for parameter in ALL[name].params:
        assert parameter.help and len(parameter.help) > 10, f"{name} {parameter.name} says nothing"


def test_no_arguments_show_the_help(phylon):
    assert "Work without a service" in phylon().output


def test_version(phylon):
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", phylon("--version").output)
