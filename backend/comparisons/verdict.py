"""What a comparison says in plain words, with its numbers and the reasons to doubt them."""

from collections.abc import Iterator

from phylon.backend.comparisons.arms import MOST_ARMS, Subject
from phylon.backend.comparisons.measured import Measured
from phylon.backend.comparisons.scores import is_sample_per_member
from phylon.contract.comparisons import (
    Arm,
    ArmPair,
    Caveat,
    CaveatKind,
    ConfigDifference,
    ScoreSource,
    StatisticName,
    Verdict,
)
from phylon.contract.groups import Estimate
from phylon.contract.vocabulary import ACTIVE

ENOUGH = 10
"""Replicates from which on percentile intervals are about as wide as they should be (Agarwal et al. 2021)."""
MANY = 4
"""Arms from which on one may be ahead by the number of tries alone."""
UNEQUAL = 1.05
"""Budgets that differ by more than this factor."""
UNREACHABLE = 1000
"""Replicates that nobody will train."""

_WORDS = {StatisticName.MEAN: "mean", StatisticName.MEDIAN: "median", StatisticName.IQM: "interquartile mean"}


def judge(
    measured: list[Measured],
    arms: list[Arm],
    best: ArmPair | None,
    statistic: StatisticName,
    tasks: list[str],
    caveats: list[Caveat],
) -> Verdict:
    if best is None:
        return Verdict(headline=_why_nothing(arms, tasks), better=None, best=None, caveats=caveats)
    by_key = {arm.key: arm for arm in arms}
    first, second = by_key[best.first], by_key[best.second]
    is_better = _is_clear(best)
    text = _told(best, first, second, statistic, is_better)
    is_over = not any(_unfinished(each) for each in measured)
    is_sentence = text.startswith("no ")  # else it begins with a name, which stays as it is
    return Verdict(
        headline=f"So far, {text}" if not is_over else text[0].upper() + text[1:] if is_sentence else text,
        better=best.first if is_better else None,
        best=best,
        caveats=caveats,
    )


def _is_clear(pair: ArmPair) -> bool:
    if pair.difference is not None:
        return pair.difference.low is not None and pair.difference.low > 0
    return pair.improvement.low is not None and pair.improvement.low > 0.5


def _told(pair: ArmPair, first: Arm, second: Arm, statistic: StatisticName, is_better: bool) -> str:
    chance = (
        f"a replicate of {first.name} beats one of {second.name} with probability {_number(pair.improvement.value)}"
    )
    replicates = f"{len(first.replicates)} against {len(second.replicates)} replicates"
    if pair.difference is None:
        say = "is better than" if is_better else "is not clearly better than"
        return f"{first.name} {say} {second.name}: {chance}{_interval(pair.improvement)}; {replicates}."
    ahead = f"by {_number(pair.difference.value)}{_interval(pair.difference)} in the {_WORDS[statistic]}"
    values = f"{_number(_value(first, statistic))} against {_number(_value(second, statistic))}"
    if is_better:
        return f"{first.name} is better than {second.name} {ahead}: {values}, {replicates}; {chance}."
    if pair.difference.value == 0:
        return f"no difference between {first.name} and {second.name}: {values}, {replicates}."
    return (
        f"no clear difference: {first.name} is ahead of {second.name} {ahead}: {values}, {replicates}; {chance}."
        + _how_many_more(pair, min(len(first.replicates), len(second.replicates)))
    )


def _how_many_more(pair: ArmPair, least: int) -> str:
    if pair.difference is None or pair.difference.low is None:
        return " A single replicate says nothing about chance: train at least one more of each."
    if pair.replicates_needed is None:
        return ""
    more = pair.replicates_needed - least
    if more > UNREACHABLE:
        return f" To see so small a difference, more than {UNREACHABLE:,} replicates would be needed."
    if more <= 0:
        return ""
    return f" To see a difference of this size, about {more:,} more replicates of each would be needed."


def _why_nothing(arms: list[Arm], tasks: list[str]) -> str:
    if len(arms) < 2:
        return "There is one arm: add another to compare it with."
    if not tasks:
        return "These arms have no environment in common, so they cannot be compared as they are."
    missing = [arm.name for arm in arms if not arm.replicates]
    return f"There is nothing to compare yet: {_listed(missing)} {'has' if len(missing) == 1 else 'have'} no return."


def caveats_of(
    subjects: list[Subject],
    measured: list[Measured],
    arms: list[Arm],
    config: list[ConfigDifference],
    tasks: list[str],
    all_tasks: list[str],
    comparable: bool,
) -> Iterator[Caveat]:
    if len(arms) > 1 and not tasks:
        yield _caveat(
            CaveatKind.NO_COMMON_TASK, f"Choose one of the environments: {', '.join(all_tasks)}. Arms without it go."
        )
    elif len(arms) > 1 and len(tasks) < len(all_tasks):
        left = [task for task in all_tasks if task not in tasks]
        yield _caveat(
            CaveatKind.LEFT_OUT_TASKS, f"Not every arm has {_listed(left)}: numbers are of the common tasks alone."
        )
    if not comparable and len(tasks) > 1:
        yield _caveat(
            CaveatKind.SCALES,
            "The tasks pay on different scales: no average over them, only how often one arm beats the other.",
        )
    few = [arm for arm in arms if 0 < _fewest(arm) < ENOUGH]
    if few:
        counts = _listed([f"{arm.name} {_fewest(arm)}" for arm in few])
        yield _caveat(
            CaveatKind.FEW_REPLICATES,
            f"Fewer than {ENOUGH} replicates: {counts}. Percentile intervals of so few are too narrow.",
        )
    yield from _caveats_of_runs(subjects, measured)
    yield from _budgets(measured)
    if len(arms) >= MANY:
        yield _caveat(
            CaveatKind.MANY_ARMS,
            f"The best of {len(arms)} arms is ahead partly by luck: confirm it with fresh seeds before you report it.",
        )
    settings = [each.path for each in config if each.path != "replicates"]
    if len(settings) > 1 and len(arms) == 2:
        yield _caveat(
            CaveatKind.SEVERAL_DIFFERENCES,
            f"The arms differ in {len(settings)} settings, so no single one of them explains the difference.",
        )


def _caveats_of_runs(subjects: list[Subject], measured: list[Measured]) -> Iterator[Caveat]:
    unfinished = [f"{_unfinished(each)} of {each.runs} of {each.name}" for each in measured if _unfinished(each)]
    if unfinished:
        yield _caveat(
            CaveatKind.UNFINISHED,
            f"Runs that have not ended count with what they have reached so far: {_listed(unfinished)}.",
        )
    left = [f"{each.left_out} of {each.runs} of {each.name}" for each in measured if each.left_out]
    if left:
        yield _caveat(CaveatKind.LEFT_OUT_RUNS, f"Runs without any return there are left out: {_listed(left)}.")
    diverged = [f"{each.diverged} of {each.name}" for each in measured if each.diverged]
    if diverged:
        yield _caveat(
            CaveatKind.DIVERGED,
            f"Replicates whose return is no number are left out, which flatters their arm: {_listed(diverged)}.",
        )
    sources = {source for each in measured for source in _sources(each)}
    if ScoreSource.LAST in sources and ScoreSource.FINAL in sources:
        yield _caveat(
            CaveatKind.NOT_FINAL,
            "Some runs have no final evaluation: their last return in training stands in, which is partly luck where "
            "members are selected by it.",
        )
    yield from _imported(subjects, measured)
    ours = [subject for subject in subjects if not _is_imported(subject)]
    shared = [subject.name for subject in ours if any(map(_shares, subject.tasks.values()))]
    alone = [subject.name for subject in ours if subject.name not in shared]
    if shared and alone:
        yield _caveat(
            CaveatKind.MEMBERS,
            f"Members of {_listed(shared)} copy each other, so a whole run is one replicate and its winner counts; "
            f"members of {_listed(alone)} are trained on their own, so each counts.",
        )


def _is_imported(subject: Subject) -> bool:
    return any(experiment.import_format is not None for experiment in subject.tasks.values())


def _imported(subjects: list[Subject], measured: list[Measured]) -> Iterator[Caveat]:
    """What is known of results from elsewhere: what their files say."""
    names = [subject.name for subject in subjects if _is_imported(subject)]
    if not names:
        return
    finals = [each.name for each in measured if each.name in names and _sources(each) == {ScoreSource.FINAL}]
    rest = [name for name in names if name not in finals]
    if rest:
        yield _caveat(
            CaveatKind.IMPORTED,
            f"{_listed(rest)} was trained elsewhere, with settings that are not known here: what counts is the return "
            "on its curve, not one in unseen episodes.",
        )
    if finals:
        yield _caveat(
            CaveatKind.IMPORTED,
            f"{_listed(finals)} was trained elsewhere, with settings that are not known here: that its final returns "
            "are of unseen episodes is what its file says.",
        )


def _sources(measured: Measured) -> set[ScoreSource]:
    return {sample.source for samples in measured.samples.values() for sample in samples}


def _shares(experiment: object) -> bool:
    return not is_sample_per_member(getattr(experiment, "method", ""))


def _budgets(measured: list[Measured]) -> Iterator[Caveat]:
    spent = [(each.name, each.budget.total_env_steps) for each in measured if each.budget.total_env_steps > 0]
    if len(spent) < 2:
        return
    least, most = min(spent, key=lambda each: each[1]), max(spent, key=lambda each: each[1])
    if most[1] > UNEQUAL * least[1]:
        yield _caveat(
            CaveatKind.BUDGETS,
            f"Unequal budgets: a run of {most[0]} spent {most[1]:,.0f} environment steps of all members together, one "
            f"of {least[0]} {least[1]:,.0f}.",
        )


def _unfinished(measured: Measured) -> int:
    return sum(run.job.status in ACTIVE for run in measured.counted)


def _fewest(arm: Arm) -> int:
    """Replicates on the task that has the fewest."""
    counts: dict[str, int] = {}
    for replicate in arm.replicates:
        counts[replicate.task] = counts.get(replicate.task, 0) + 1
    return min(counts.values(), default=0)


def _value(arm: Arm, statistic: StatisticName) -> float | None:
    found: Estimate | None = getattr(arm, statistic.value)
    return found.value if found else None


def _caveat(kind: CaveatKind, text: str) -> Caveat:
    return Caveat(kind=kind, text=text)


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" (95 % interval {_number(estimate.low)} to {_number(estimate.high)})"


def _listed(names: list[str]) -> str:
    shown = names[:MOST_ARMS]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return (f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}").replace("-", "−")
