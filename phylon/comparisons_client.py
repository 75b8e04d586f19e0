"""Comparisons of experiments and groups, as methods of `phylon.Client`."""

from collections.abc import Iterable
from typing import Any

from phylon.connection import Connection
from phylon.contract.comparisons import ComparedBudgets, ComparedCurves, Comparison, CurveAxis, StatisticName
from phylon.contract.explanations import Explanation
from phylon.contract.vocabulary import MetricName

RETURN = MetricName.EVALUATION_RETURN.value


class ComparisonsClient(Connection):
    def compare(
        self,
        experiments: Iterable[int],
        groups: Iterable[int] = (),
        metric: str = RETURN,
        axis: CurveAxis = CurveAxis.STEPS,
        statistic: StatisticName | None = None,
        task: str | None = None,
        at: float | None = None,
        target: float | None = None,
        baseline: str | None = None,
    ) -> Comparison:
        """What is better, by how much, and how sure. A group of arms stands for all of them, one of tasks for itself.

        Scores are final returns, or values on the curve `at` a position of the axis. `baseline` is an arm's key, such
        as `experiment-3`.
        """
        asked = _asked(experiments, groups, metric, axis, statistic, task)
        return self._get("/comparisons", Comparison, **asked, at=at, target=target, baseline=baseline)

    def compare_curves(
        self,
        experiments: Iterable[int],
        groups: Iterable[int] = (),
        metric: str = RETURN,
        axis: CurveAxis = CurveAxis.STEPS,
        statistic: StatisticName | None = None,
        task: str | None = None,
        target: float | None = None,
        runs: bool = False,
    ) -> ComparedCurves:
        """The arms over time with 95 % bands, and how soon they reach the target; with `runs`, each replicate too."""
        asked = _asked(experiments, groups, metric, axis, statistic, task)
        return self._get("/comparisons/curves", ComparedCurves, **asked, target=target, runs=runs)

    def compare_budgets(self, experiments: Iterable[int], groups: Iterable[int] = ()) -> ComparedBudgets:
        """What a run of each arm has spent: steps, updates, and seconds by phase."""
        asked: dict[str, Any] = {"experiments": list(experiments), "groups": list(groups)}
        return self._get("/comparisons/budgets", ComparedBudgets, **asked)

    def pooled_explanation(
        self, experiments: Iterable[int], groups: Iterable[int] = (), task: str | None = None
    ) -> Explanation:
        """What hyper-parameters were and did, of all runs of these experiments and groups together."""
        asked: dict[str, Any] = {"experiments": list(experiments), "groups": list(groups), "task": task}
        return self._get("/comparisons/explanation", Explanation, **asked)


def _asked(
    experiments: Iterable[int],
    groups: Iterable[int],
    metric: str,
    axis: CurveAxis,
    statistic: StatisticName | None,
    task: str | None,
) -> dict[str, Any]:
    lists: dict[str, Any] = {"experiments": list(experiments), "groups": list(groups)}
    return lists | {"metric": metric, "axis": axis.value, "statistic": statistic and statistic.value, "task": task}
