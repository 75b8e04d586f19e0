"""Sweeps: what they become, and what is said about those that cannot become anything."""

import pytest

from phylon.spec import SpecInvalid, parse_document, parse_group

BASE = {"environment": "Pendulum-v1", "algorithm": "td3", "population": 4, "budget": "20k"}


def sweep(**fields):
    return {"kind": "sweep", "name": "tries", "base": BASE, **fields}


def test_grid_random_and_list_are_combined():
    over = {"algorithm.discount": {"uniform": [0.9, 0.99]}, "seed": {"int_uniform": [4, 8]}}
    group = parse_group(
        sweep(
            replicates=3,
            grid={"algorithm.batch_size": [64, 128], "population.size": [4]},
            random={"samples": 2, "over": over},
            list=[{"algorithm.policy_delay": 2}, {}],
        )
    )
    specs = list(group.experiments.values())
    assert len(specs) == 2 * 2 * 2 and {spec.replicates for spec in specs} == {3}
    assert sorted({spec.algorithm.batch_size for spec in specs}) == [64, 128]
    drawn = {spec.algorithm.discount for spec in specs}
    assert len(drawn) == 2 and all(0.9 <= discount <= 0.99 for discount in drawn)
    assert all(4 <= spec.seed <= 8 for spec in specs) and len({spec.name for spec in specs}) == 8
    assert specs[0].name.startswith("tries-1-batch_size-64-size-4-discount-0_9")
    again = sweep(random={"samples": 5, "over": {"seed": {"int_uniform": [0, 99]}}})
    assert parse_group(again) == parse_group(again), "the same seed draws the same"
    rates = {"algorithm.policy_learning_rate": {"log_uniform": [1e-5, 1e-2]}}
    found = parse_document(sweep(random={"samples": 9, "over": rates})).experiments.values()
    assert all(1e-5 <= spec.algorithm.policy_learning_rate <= 1e-2 for spec in found)


@pytest.mark.parametrize(
    ("fields", "path", "message", "remedy"),
    [
        ({}, "", "tries nothing", "grid, random and list"),
        ({"grid": {"seed": []}}, "grid.seed", "", ""),
        ({"grid": {"seed": list(range(500))}}, "grid", "500 experiments", "fewer values of seed"),
        ({"grid": {"seed": [1, 2]}, "replicates": 5000}, "grid", "10,000 runs", "random.samples"),
        (
            {"random": {"samples": 100_000, "over": {"seed": {"choice": [1, 2]}}}},
            "random",
            "100,000 experiments",
            "split",
        ),
        ({"grid": {"algorithm.batch_size": [64, "many"]}}, "grid.algorithm.batch_size", "", ""),
        ({"grid": {"algorithm.batch_sise": [64, 65]}}, "grid.algorithm.batch_sise", "", "batch_size"),
        ({"random": {"samples": 2, "over": {"seed": 3}}}, "random.over.seed", "no distribution", "log_uniform"),
        ({"grid": {"seed": [1]}, "base": {**BASE, "budget": "no"}}, "base.budget.env_steps", "", ""),
    ],
)
def test_what_is_wrong_is_said_where_it_was_written(fields, path, message, remedy):
    with pytest.raises(SpecInvalid) as refused:
        parse_group(sweep(**fields))
    problems = refused.value.problems
    assert [problem["path"] for problem in problems] == [path]
    assert message in problems[0]["message"] and remedy in problems[0]["remedy"]
