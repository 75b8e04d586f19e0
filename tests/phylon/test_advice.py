"""Advice in closed form: how many members fit, and where one more stops being nearly free."""

import pytest

from phylon.forecast.advice import (
    Capacity,
    Curve,
    Point,
    Speed,
    Subject,
    distance,
    members_that_fit,
    nearest_curve,
    probe_of,
    speed_of,
    subject_of,
)
from phylon.forecast.memory import PopulationMemory, Share, members_at_once
from phylon.presets import load_preset
from phylon.spec import ExperimentSpec, StudyCell, parse_document, parse_study, read_yaml
from phylon.study import Measurement, measured, unmeasured

SUBJECT = Subject("td3", (256, 256), 256, ("vectorized", "sharded"))


def points(costs: dict[int, float]) -> list[Point]:
    return [Point(size, milliseconds, "vectorized") for size, milliseconds in costs.items()]


class TestMemory:
    MEMORY = PopulationMemory(fixed=Share(device=100, host=1000), state=2, batches=3, step=5, ring=47)

    def test_a_processor_has_one_memory(self):
        # 0.75 * 4000 - 1100 = 1900, and 60 each
        assert members_that_fit(self.MEMORY, True, None, 4000, 4000) == Capacity(31, "memory")
        # the 10 bytes of two steps once, and 55 each
        assert members_that_fit(self.MEMORY, True, 2, 4000, 4000) == Capacity(34, "memory")

    def test_what_runs_out_first_is_told(self):
        # device: (0.75 * 1000 - 100) / 10 = 65; host: (0.75 * 2000 - 1000) / 50 = 10
        assert members_that_fit(self.MEMORY, False, None, 1000, 2000) == Capacity(10, "host")
        assert members_that_fit(self.MEMORY, False, None, 1000, 20_000) == Capacity(65, "device")
        assert members_that_fit(self.MEMORY, False, None, 1000, None) == Capacity(65, "device")

    def test_there_may_be_room_for_none_or_for_more_than_a_spec_allows(self):
        assert members_that_fit(self.MEMORY, True, None, 1000, 1000).members == 0
        assert members_that_fit(self.MEMORY, True, None, 10**9, 10**9).members == 4096

    @pytest.mark.parametrize(
        ("execution", "on_cpu", "on_gpu"),
        [
            ({"strategy": "auto"}, None, None),
            ({"strategy": "sequential"}, 1, 1),
            ({"strategy": "vectorized", "chunk": 3}, 3, 3),
            ({"strategy": "sharded"}, 6, None),
            ({"strategy": "parallel"}, 6, 6),
            ({"strategy": "parallel", "processes": 2}, 2, 2),
        ],
    )
    def test_strategies_differ_in_how_many_learn_at_once(self, execution, on_cpu, on_gpu):
        raw = read_yaml(load_preset("td3-pbt-pendulum-smoke").yaml) | {"execution": execution}
        spec = parse_document(raw)
        assert isinstance(spec, ExperimentSpec)
        assert members_at_once(spec, 6, is_cpu=True) == on_cpu
        assert members_at_once(spec, 6, is_cpu=False) == on_gpu


class TestSpeed:
    def test_nothing_is_free_on_a_processor(self):
        assert speed_of(points({1: 1.9, 2: 3.8, 4: 7.6}), 4) == Speed(1.9, 1, pytest.approx(1.9))

    def test_a_gpu_is_free_until_it_is_full(self):
        costs = points({1: 1.0, 2: 1.05, 4: 1.1, 8: 1.3, 16: 4.5})
        assert speed_of(costs, 8) == Speed(1.0, 8, pytest.approx(0.4))
        assert speed_of(costs, 4).one_more == pytest.approx(0.05)
        assert speed_of(costs, 3).one_more == pytest.approx(0.025), "between two sizes counts what lies between"
        assert speed_of(costs, 200).one_more == pytest.approx(0.4), "beyond the last size its own holds"

    def test_noise_is_no_gain_and_a_cheap_stretch_after_a_dear_one_is_not_free(self):
        assert speed_of(points({1: 1.0, 2: 0.9}), 1) == Speed(1.0, 2, 0.0)
        assert speed_of(points({1: 1.0, 2: 2.0, 4: 2.0}), 1).nearly_free_up_to == 1


def cell(strategy="vectorized", size=1, hidden=(256, 256), batch=256, fused=50, framework="jax") -> StudyCell:
    return StudyCell(
        algorithm="td3", framework=framework, strategy=strategy, compiled=False, population_size=size,
        fused_updates=fused, batch_size=batch, hidden=hidden,
    )  # fmt: skip


def cost(milliseconds: float, **sizes) -> Measurement:
    return measured(cell(**sizes), [milliseconds] * 2, 1, 0.5, None, 1, None)


class TestNearestCurve:
    def test_the_fastest_strategy_counts_at_each_size(self):
        found = nearest_curve(
            [
                cost(1.0, size=1), cost(9.0, size=4), cost(2.0, size=1, strategy="sharded"),
                cost(3.0, size=4, strategy="sharded"), cost(0.1, size=4, strategy="sequential"),
                cost(0.1, size=4, framework="torch"), unmeasured(cell(size=8), "out_of_memory", "full"),
            ],
            SUBJECT,
        )  # fmt: skip
        assert found == Curve((256, 256), 256, 50, (Point(1, 1.0, "vectorized"), Point(4, 3.0, "sharded")))

    def test_the_nearest_sizes_are_taken(self):
        shapes = [{"batch": 1024}, {"batch": 128}, {"hidden": (64, 64)}, {"batch": 128, "fused": 1}]
        cells = [cost(1.0, size=size, **shape) for shape in shapes for size in (1, 2)]
        curve = nearest_curve(cells, SUBJECT)
        assert curve is not None and (curve.hidden, curve.batch_size, curve.fused_updates) == ((256, 256), 128, 50)
        assert distance(curve, SUBJECT) == 1.0

    def test_other_widths_with_as_much_work_are_not_the_same(self):
        curve = Curve((16, 64), 256, 50, ())
        assert distance(curve, SUBJECT._replace(hidden=(64, 16))) > 0

    def test_a_curve_needs_a_single_member_and_another_size(self):
        assert nearest_curve([cost(1.0, size=2), cost(2.0, size=4)], SUBJECT) is None
        assert nearest_curve([cost(1.0, size=1)], SUBJECT) is None


class TestSubject:
    def spec(self, name: str) -> ExperimentSpec:
        spec = parse_document(read_yaml(load_preset(name).yaml))
        assert isinstance(spec, ExperimentSpec)
        return spec

    def test_of_presets(self):
        subject = subject_of(self.spec("td3-pbt-halfcheetah"))
        assert isinstance(subject, Subject)
        assert subject[:3] == ("td3", (256, 256), 256)
        assert {"sequential", "vectorized", "sharded"} <= set(subject.strategies)
        subject = subject_of(self.spec("ppo-cartpole"))
        assert isinstance(subject, Subject) and subject.algorithm == "ppo"

    @pytest.mark.parametrize(
        ("name", "why"),
        [("drac-bigfish", "do not measure drac"), ("td3-cemrl-hopper", "share a critic"), ("toy-triangle", "measure")],
    )
    def test_some_are_never_measured(self, name, why):
        document = parse_document(read_yaml(load_preset(name).yaml))
        spec = document if isinstance(document, ExperimentSpec) else next(iter(document.experiments.values()))
        assert why in str(subject_of(spec))

    def test_a_probe_measures_its_subject(self):
        probe = probe_of(SUBJECT)
        assert parse_study(probe.model_dump(mode="json")) == probe
        cells = [cost(1.0, **sizes_of(one)) for one in probe.cells()]
        curve = nearest_curve(cells, SUBJECT)
        assert curve is not None and distance(curve, SUBJECT) == 0
        assert probe_of(SUBJECT._replace(strategies=("sequential",))).strategies == ("sequential",)


def sizes_of(one: StudyCell) -> dict[str, object]:
    return {
        "strategy": one.strategy, "size": one.population_size, "hidden": one.hidden, "batch": one.batch_size,
        "fused": one.fused_updates,
    }  # fmt: skip
