"""Schedules along an ancestry, and the spec that takes them."""

from decimal import Decimal

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from phylon.contract.lineage import Tuned
from phylon.lineage.ancestry import living
from phylon.lineage.assembly import tuned_of
from phylon.lineage.schedule import NothingTuned, read_schedule, schedule_of, schedule_yaml
from phylon.spec import parse_spec
from phylon.spec.algorithms import DrACSpec, TD3Spec
from phylon.spec.schedule_method import ScheduleSpec, schedule_problems


def entries(schedule: ScheduleSpec) -> list[tuple[int, dict]]:
    return [(entry.step, entry.values) for entry in schedule.schedule]


class TestAlongAnAncestry:
    def test_has_an_entry_for_each_change(self, make_lineage):
        lineage = make_lineage(4, [(2000, 3, 0), (4000, 1, 3)])
        assert entries(schedule_of(lineage, 5)) == [
            (0, {"discount": 0.9}),
            (2000, {"discount": 0.904}),
            (4000, {"discount": 0.905}),
        ]

    def test_what_is_inherited_or_reset_makes_no_entry(self, make_lineage):
        values = {0: {"discount": 0.9}, 1: {"discount": 0.95}, 2: {"discount": 0.9}}
        lineage = make_lineage(2, [(1000, 1, 0), (2000, 1, 1)], values=values | {3: {"discount": 0.5}})
        assert entries(schedule_of(lineage, 3)) == [(0, {"discount": 0.9})]

    def test_values_that_never_came_into_force_are_left_out(self, make_lineage):
        values = {id: {"discount": 0.9 + id / 100} for id in range(4)}
        lineage = make_lineage(2, [(1000, 1, 0), (1000, 1, 1)], values=values)
        last = lineage.spans[3].model_copy(update={"parent": 2, "hyperparams": {"discount": 0.97}})
        lineage = lineage.model_copy(update={"spans": [*lineage.spans[:3], last]})
        assert entries(schedule_of(lineage, 3)) == [(0, {"discount": 0.9}), (1000, {"discount": 0.97})]

    def test_begins_at_the_beginning(self, make_lineage):
        assert entries(schedule_of(make_lineage(1, [(1000, 0, None)]), 1)) == [(0, {"discount": 0.901})]

    def test_names_stand_for_their_numbers(self, make_lineage):
        tuned = [
            Tuned(name="augmentation", scale="choice", low=0, high=7, names=["crop", "random-conv"], read="training")
        ]
        lineage = make_lineage(1, [], values={0: {"augmentation": 1.0, "discount": 0.9}}, tuned=tuned)
        assert entries(schedule_of(lineage, 0)) == [(0, {"augmentation": "random-conv"})]

    def test_says_when_each_value_is_read(self, make_lineage):
        sac = {"name": "sac", "initial_temperature": {"uniform": [0.1, 1.0]}, "discount": {"uniform": [0.9, 0.99]}}
        population = {"size": 2, "method": "random_search"}
        document = {"environment": "Pendulum-v1", "algorithm": sac, "population": population, "budget": 1000}
        tuned = tuned_of(parse_spec(document))
        assert {each.name: each.read for each in tuned} == {"discount": "training", "initial_temperature": "birth"}
        assert {each.read for each in tuned_of(parse_spec(document | {"resets": 100}))} == {"training", "reset"}
        lineage = make_lineage(1, [], values={0: {"initial_temperature": 0.5, "discount": 0.9}}, tuned=tuned)
        read = read_schedule(lineage, lineage.spans[0]).read
        assert read == {"initial_temperature": "birth", "discount": "training"}

    def test_needs_something_tuned(self, make_lineage):
        with pytest.raises(NothingTuned):
            schedule_of(make_lineage(1, [], tuned=[]), 0)


class TestYaml:
    def test_is_a_method_of_the_spec(self, make_lineage):
        text = schedule_yaml(schedule_of(make_lineage(4, [(2000, 3, 0)]), 4))
        assert text == (
            "name: schedule\nschedule:\n"
            "- {step: 0, values: {discount: 0.9}}\n- {step: 2000, values: {discount: 0.904}}\n"
        )

    @settings(max_examples=60, deadline=None)
    @given(value=st.floats(width=32, allow_nan=False, allow_infinity=False))
    def test_numbers_of_a_trainer_are_short_and_exact(self, make_lineage, value):
        text = schedule_yaml(schedule_of(make_lineage(1, [], values={0: {"discount": value}}), 0))
        read = yaml.safe_load(text)["schedule"][0]["values"]["discount"]
        assert np.float32(read) == np.float32(value)
        assert len(Decimal(repr(read)).normalize().as_tuple().digits) <= 9

    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_reads_back(self, draw_lineage, data):
        lineage = draw_lineage(data)
        for member in living(lineage):
            schedule = schedule_of(lineage, member.id)
            assert ScheduleSpec.model_validate(yaml.safe_load(schedule_yaml(schedule))) == schedule


class TestSpec:
    @pytest.mark.parametrize(
        ("schedule", "message"),
        [
            ([], "at least 1"),
            ([{"step": 100, "values": {"discount": 0.9}}], "begins at step 100"),
            (
                [{"step": 0, "values": {"discount": 0.9}}, {"step": 0, "values": {"discount": 0.8}}],
                "step 0 comes after step 0",
            ),
            ([{"step": 0, "values": {}}], "at least 1"),
            ([{"step": -1, "values": {"discount": 0.9}}], "greater than or equal to 0"),
            ([{"step": 0, "values": {"discount": {"uniform": [0.9, 1.0]}}}], "a number or a name"),
            ([{"step": 0, "values": {"discount": True}}], "a number or a name"),
        ],
    )
    def test_refuses(self, schedule, message):
        with pytest.raises(ValidationError, match=message):
            ScheduleSpec.model_validate({"name": "schedule", "schedule": schedule})

    def test_fits_the_algorithm(self):
        method = ScheduleSpec.model_validate(
            {"name": "schedule", "schedule": [{"step": 0, "values": {"discount": 0.99, "policy_delay": 2}}]}
        )
        assert list(schedule_problems(method, TD3Spec(name="td3"))) == []

    @pytest.mark.parametrize(
        ("algorithm", "values", "path", "message"),
        [
            (TD3Spec(name="td3"), {"momentum": 0.9}, "momentum", "no hyper-parameter 'momentum'"),
            (TD3Spec(name="td3"), {"batch_size": 64}, "batch_size", "no hyper-parameter 'batch_size'"),
            (TD3Spec(name="td3"), {"discount": 1.5}, "discount", "1.5 leaves the legal range"),
            (TD3Spec(name="td3"), {"policy_delay": 1.5}, "policy_delay", "whole number"),
            (TD3Spec(name="td3"), {"discount": "high"}, "discount", "is a number"),
            (DrACSpec(name="drac"), {"augmentation": 1.0}, "augmentation", "is a name"),
            (DrACSpec(name="drac"), {"augmentation": "blur"}, "augmentation", "unknown name 'blur'"),
        ],
    )
    def test_names_what_does_not_fit(self, algorithm, values, path, message):
        method = ScheduleSpec.model_validate({"name": "schedule", "schedule": [{"step": 0, "values": values}]})
        (problem,) = schedule_problems(method, algorithm)
        assert problem["path"] == f"population.method.schedule.0.values.{path}"
        assert message in problem["message"]
        assert problem["remedy"]
