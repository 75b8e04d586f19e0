"""Runtime studies: which cells they have, and what is refused with which words."""

from typing import Any

import pytest

from phylon.spec import RuntimeStudySpec, SpecInvalid, parse_document, parse_study, read_yaml, study_to_yaml


@pytest.fixture
def study() -> dict[str, Any]:
    return {
        "version": 1,
        "name": "small",
        "kind": "runtime_study",
        "algorithms": ["td3", "dqn"],
        "frameworks": ["jax", "torch"],
        "strategies": ["sequential", "sharded"],
        "population_sizes": [4, 1],
    }


def problems(raw: Any) -> dict[str, str]:
    with pytest.raises(SpecInvalid) as caught:
        parse_study(raw)
    assert all(p["remedy"] != "correct the value" for p in caught.value.problems), caught.value.problems
    return {p["path"]: f"{p['message']} ({p['remedy']})" for p in caught.value.problems}


def test_cells_are_all_combinations_that_a_framework_can_do(study: dict[str, Any]):
    spec = parse_study(study | {"torch_compile": True})
    cells = spec.cells()
    contenders = ["jax sequential", "jax sharded", "torch sequential", "torch sequential compiled"]
    assert [cell.contender for cell in cells[:4]] == contenders
    assert [(cell.algorithm, cell.population_size) for cell in cells[::4]] == [
        ("td3", 1),
        ("td3", 4),
        ("dqn", 1),
        ("dqn", 4),
    ]
    assert len({(cell.contender, cell.work) for cell in cells}) == len(cells) == 16


def test_a_study_survives_being_written(study: dict[str, Any]):
    spec = parse_study(study)
    written = parse_document(read_yaml(study_to_yaml(spec)))
    assert isinstance(written, RuntimeStudySpec)
    assert written == spec


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"algorithms": []}, "algorithms", "at least 1"),
        ({"algorithms": ["td4"]}, "algorithms.0", "use one of ddpg, dqn, ppo, sac, td3"),
        ({"population_sizes": [2, 2]}, "population_sizes", "2 is listed twice"),
        ({"population_sizes": [0]}, "population_sizes.0", "at least 1"),
        ({"population_sizes": ["few"]}, "population_sizes.0", "whole number"),
        ({"hidden": [[]]}, "hidden.0", "at least 1"),
        ({"repeats": 1}, "repeats", "at least 2"),
        ({"seconds": 0}, "seconds", "above 0"),
        ({"seconds": float("nan")}, "seconds", "finite number"),
        ({"frameworks": ["jax"], "torch_compile": True}, "torch_compile", "add torch to frameworks"),
        ({"frameworks": ["torch"], "strategies": ["sharded", "auto"]}, "strategies", "PyTorch can do none of these"),
        ({"population_sizes": list(range(1, 101)), "batch_sizes": list(range(1, 21))}, "population_sizes", "at most"),
        ({"batch_size": 4}, "batch_size", "did you mean 'batch_sizes'"),
        ({"seconds": "2w"}, "seconds", "use a number"),
        ({"version": 3}, "version", "upgrade Phylon"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(study: dict[str, Any], change: dict[str, Any], path: str, words: str):
    found = problems(study | change)
    assert list(found) == [path]
    assert words in found[path]


def test_short_forms():
    study = {"kind": "runtime_study", "algorithms": "td3", "population_sizes": 8, "seconds": "1m", "hidden": [["64"]]}
    spec = parse_study(study)
    assert (spec.name, spec.algorithms, spec.population_sizes) == ("runtime-td3", ("td3",), (8,))
    assert (spec.seconds, spec.hidden) == (60.0, ((64,),))


def test_something_else_than_a_mapping_is_refused():
    assert "mapping" in problems(["runtime_study"])[""]
