"""YAML that is larger than a spec, or than it looks, is refused before anything is built from it."""

from collections.abc import Iterator

import pytest
import yaml

from phylon.spec import SpecInvalid, read_yaml
from phylon.spec.reading import DEEPEST, LONGEST, MOST_ALIASES, MOST_NODES, measure


def refusal(text: str) -> str:
    with pytest.raises(SpecInvalid) as caught:
        read_yaml(text)
    (problem,) = caught.value.problems
    assert problem["remedy"]
    return problem["message"]


def merge_bomb(levels: int) -> str:
    """Each level merges the one before nine times."""
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, levels)]
    return "\n".join(lines)


class Counted:
    """Events that count how many of them were asked for."""

    def __init__(self, text: str) -> None:
        self._events = yaml.parse(text, Loader=yaml.CSafeLoader)
        self.count = 0

    def __iter__(self) -> Iterator[yaml.Event]:
        for event in self._events:
            self.count += 1
            yield event


@pytest.mark.parametrize("levels", [7, 30])
def test_a_bomb_of_merge_keys(levels: int):
    text = merge_bomb(levels)
    assert levels > 7 or len(text) < 400
    assert refusal(text) == f"line 6: more than {MOST_NODES:,} values, with what aliases repeat"


def test_a_bomb_is_refused_where_it_grows_too_large():
    """The levels behind are not even parsed."""
    shorter, longer = Counted(merge_bomb(7)), Counted(merge_bomb(60))
    for events in (shorter, longer):
        with pytest.raises(SpecInvalid):
            measure(iter(events))
    assert shorter.count == longer.count < 100


def test_a_bomb_of_lists():
    levels = "\n".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30))
    assert "values, with what aliases repeat" in refusal(f"l0: &l0 lol\n{levels}")


def test_what_contains_itself():
    assert refusal("a: 1\nb: &b\n  c: [*b]") == "line 3: '*b' is a part of what it repeats"


def test_many_aliases():
    assert refusal("a: &a 1\nb: [" + "*a ," * (MOST_ALIASES + 1) + "]") == "line 2: more than 1,000 aliases"


def test_many_values():
    assert "more than 50,000 values" in refusal("[" + "1," * MOST_NODES + "]")


@pytest.mark.parametrize("text", ["a: 1\n" * 300_000, "a: '" + "x" * 50_000_000 + "'", "ä" * (LONGEST // 2 + 1)])
def test_a_long_text_is_not_parsed(text: str):
    """An error in it goes unnoticed: nobody read so far."""
    message = refusal(text + "\n]")
    assert message.startswith("the text has ") and f"more than the {LONGEST:,} that are read" in message


def test_deep_nesting():
    assert refusal("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)) == f"nested more than {DEEPEST} levels deep"
    assert read_yaml("[" * DEEPEST + "]" * DEEPEST) is not None


def test_aliases_and_merge_keys_still_serve():
    text = "base: &base {a: 1, b: &b [1, 2]}\none: {<<: *base, a: 2}\ntwo: {<<: [*base], c: *b}\n"
    assert read_yaml(text) == {
        "base": {"a": 1, "b": [1, 2]},
        "one": {"a": 2, "b": [1, 2]},
        "two": {"a": 1, "b": [1, 2], "c": [1, 2]},
    }
    assert measure(yaml.parse(text, Loader=yaml.CSafeLoader)) == 36


def test_an_unknown_alias_is_an_ordinary_mistake():
    assert "not valid YAML at line 1" in refusal("a: *nobody")
