"""How long things last: lengths that were left out follow from the budget, and all of them end at segment borders.

What a researcher would choose: about a hundred evaluations, twenty selections, ten checkpoints and a thousand frames of
metrics, and no more than a tenth of the budget for warm-up.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple, cast

from phylon.catalogue import EnvironmentEntry
from phylon.registry.descriptions import AlgorithmDescription, MethodDescription
from phylon.spec.draft import Draft
from phylon.spec.methods.pbt import AsynchronousSpec, least_evaluations
from phylon.spec.quantities import read_count, read_duration, read_number

EVALUATIONS, FRAMES, CHECKPOINTS = 100, 1000, 10
LENGTHS = ["budget.env_steps", "evaluation.interval", "metrics.interval", "checkpoint.interval", "replay.warmup"]
SEGMENT_STEPS = 50
"""About so many where a spec leaves it open; exactly so many where they fit."""
SHORTEST_USUAL_SEGMENT, LONGEST_USUAL_SEGMENT, LONGEST_SEGMENT = 25, 100, 100_000
FEWEST_FINAL_EPISODES, FINAL_EPISODES, FINAL_STEPS = 10, 50, 200_000
"""Of the final evaluation: as many as fit into these steps per member, or into the budget where that is shorter."""
UNLIMITED_EPISODE_STEPS = 10_000
"""Where evaluation cuts an episode that has no time limit."""
USUAL_SECONDS = 60
"""Between two selections by the clock where neither they nor the budget are given in seconds."""
LONGEST_WARMUP = 25_000
"""As in the TD3 authors' code."""
TRANSITIONS, IMAGES, SHARED_TRANSITIONS = 300_000, 100_000, 1_000_000
"""The most that a ring holds unless it is written: of vectors, of images, and a ring that all members share."""


class Parts(NamedTuple):
    """What is known of a draft; None where its name is unknown, which has a problem of its own."""

    algorithm: AlgorithmDescription | None
    method: MethodDescription | None
    environment: EnvironmentEntry | None
    size: int

    @property
    def has_replay(self) -> bool:
        return self.algorithm is None or self.algorithm.experience == "replay"

    @property
    def is_joint(self) -> bool:
        return self.method is not None and self.method.joint is not None

    @property
    def usual_ratio(self) -> float:
        """Gradient updates for each environment step of a member."""
        joint = self.method.joint if self.method else None
        if joint is not None:
            return joint.ratio(self.size)
        return self.algorithm.updates_per_step if self.algorithm else 1.0

    def field_of_algorithm(self, name: str) -> Any:
        """The default of a field, None if there is no such field."""
        fields = self.algorithm.spec.model_fields if self.algorithm else {}
        return fields[name].default if name in fields else None

    def has_field(self, name: str) -> bool:
        """Whether the method has it."""
        return self.method is not None and name in self.method.spec.model_fields


def settle_lengths(draft: Draft, parts: Parts) -> None:
    budget = draft.count("budget.env_steps") or 1_000_000  # any: a wrong budget has a problem of its own
    if parts.has_replay:
        _fill_replay(draft, parts)
    in_steps = draft.get("population.method.unit") in (None, "steps")
    lengths = [*LENGTHS, "population.method.interval"] if in_steps else LENGTHS
    segment = _settle_segment(draft, lengths, budget) if parts.has_replay else _settle_rollout(draft, parts, budget)
    for path in lengths:
        _move_to_multiple(draft, path, segment, f"not a whole number of segments of {segment:,} steps")
    budget = draft.count("budget.env_steps") or budget
    evaluation = _settle_evaluation(draft, parts, budget, segment, in_steps)
    tenth = _multiple_near(budget / CHECKPOINTS, evaluation)
    draft.fill("metrics.interval", _divisor_near(evaluation // segment, budget / FRAMES / segment) * segment)
    draft.fill("checkpoint.interval", tenth)
    draft.fill("evaluation.final", _choose_final_episodes(parts, budget))
    if parts.has_replay or isinstance(draft.get("replay"), dict):  # one that is of no use is refused as a whole
        _settle_replay(draft, parts, budget, segment)
    _settle_paces(draft, parts, budget)
    _settle_method(draft, parts, budget, segment, evaluation, in_steps)
    if isinstance(draft.get("resets"), dict):
        interval = draft.count("resets.interval") or 1  # any: a wrong one has a problem of its own
        draft.fill("resets.first", interval)
        draft.fill("resets.recovery", interval // 2)
    if isinstance(draft.get("videos"), dict):
        draft.fill("videos.interval", tenth)
        _move_to_evaluation(draft, "videos.interval", evaluation)


def _settle_rollout(draft: Draft, parts: Parts, budget: int) -> int:
    """The steps of a segment where that is one rollout of each of a member's environments."""
    environments = draft.count("environment.envs_per_member") or 1
    steps: int | None = parts.field_of_algorithm("rollout_steps")
    if steps is None:  # no field: the algorithm has a rollout of fixed length
        return getattr(parts.algorithm and parts.algorithm.spec, "rollout_steps", 1) * environments
    path, shares = "algorithm.rollout_steps", parts.field_of_algorithm("minibatches") or 1
    is_open = not draft.has(path)
    steps = max(1, min(steps, budget // environments)) if is_open else draft.count(path) or steps
    if draft.has("algorithm.minibatches"):
        shares = draft.count("algorithm.minibatches") or 1
        fitting = _next_multiple(steps, shares // math.gcd(shares, environments))
        if fitting != steps and not is_open:
            draft.move(path, fitting, f"not divisible into {shares:,} minibatches")
        steps = fitting
    elif steps * environments % shares:
        draft.fill("algorithm.minibatches", _largest_divisor(steps * environments, shares))
    draft.fill(path, steps)
    return steps * environments


def _settle_segment(draft: Draft, lengths: list[str], budget: int) -> int:
    """The steps of a segment where they may be chosen: with whole steps of all environments and whole updates."""
    path, environments = "execution.segment_steps", draft.count("environment.envs_per_member") or 1
    ratio = _ratio(draft)
    unit = math.lcm(environments, Fraction(ratio).limit_denominator(1000).denominator)
    if ratio < 1 / 1000 or unit > LONGEST_SEGMENT:  # then there is no exact one; the shortest with an update
        unit = min(_next_multiple(math.ceil(1 / ratio), environments), LONGEST_SEGMENT // environments * environments)
    if draft.get(path) is None:
        segment = _usual_segment(draft, lengths, budget, unit)
        draft.put(path, segment)
    else:
        segment = _next_multiple(draft.count(path) or unit, unit)
        if draft.count(path) not in (None, segment):
            reason = f"not a multiple of {unit:,}, so it has no whole number of updates or of steps of all environments"
            draft.move(path, segment, reason)
    updates = max(1, round(segment * ratio))
    if abs(updates - segment * ratio) > 1e-9:
        draft.move("replay.ratio", updates / segment, f"no whole number of updates in a segment of {segment:,} steps")
    return segment


def _usual_segment(draft: Draft, lengths: list[str], budget: int, unit: int) -> int:
    """Near 50 steps, and if possible such that nothing that was written has to be moved."""
    common = math.gcd(*(draft.count(path) or 0 for path in lengths))
    lowest = _next_multiple(min(SHORTEST_USUAL_SEGMENT, budget), unit)
    candidates = range(lowest, max(lowest, LONGEST_USUAL_SEGMENT) + 1, unit)
    fitting = [segment for segment in candidates if common % segment == 0]
    shorter = [segment for segment in candidates if segment <= budget]
    return min(fitting or shorter or [lowest], key=lambda segment: (abs(segment - SEGMENT_STEPS), segment))


def _ratio(draft: Draft) -> float:
    ratio = read_number(draft.get("replay.ratio"))
    return float(ratio) if isinstance(ratio, int | float) and 0 < ratio <= 128 else 1.0


def _settle_evaluation(draft: Draft, parts: Parts, budget: int, segment: int, in_steps: bool) -> int:
    """Fitness is a fresh evaluation's, and films are made at evaluations: what was written of those is kept."""
    path = "evaluation.interval"
    written = draft.count(path)
    if written is not None:
        return written
    episode = parts.environment and parts.environment.max_episode_steps
    # Evaluating more often than this would cost more than training.
    rarest = min(1000, 5 * (episode or 1000), budget / 4)
    wanted = max(budget / EVALUATIONS, rarest) / segment
    selection = draft.count("population.method.interval") if in_steps else None
    common = math.gcd(selection or 0, draft.count("videos.interval") or 0)
    if common and common % segment == 0:
        evaluation = _divisor_near(common // segment, wanted) * segment
    else:
        even = _divisor_near(budget // segment, wanted)
        evaluation = (even if wanted / 1.5 <= even <= wanted * 1.5 else max(1, round(wanted))) * segment
    draft.fill(path, evaluation)
    return evaluation


def _choose_final_episodes(parts: Parts, budget: int) -> int:
    longest = (parts.environment and parts.environment.max_episode_steps) or UNLIMITED_EPISODE_STEPS
    return max(FEWEST_FINAL_EPISODES, min(FINAL_EPISODES, min(FINAL_STEPS, budget) // longest))


def _fill_replay(draft: Draft, parts: Parts) -> None:
    if draft.get("replay") is None:
        draft.put("replay", {})
    draft.fill("replay.ratio", parts.usual_ratio)


def _settle_replay(draft: Draft, parts: Parts, budget: int, segment: int) -> None:
    batch = parts.field_of_algorithm("batch_size") or 1
    capacity, is_image = draft.count("replay.capacity"), _has_images(parts.environment)
    if not draft.has("algorithm.batch_size") and capacity is not None and capacity < batch:
        draft.put("algorithm.batch_size", capacity)
    if parts.is_joint:
        draft.fill("replay.sharing", "shared")
    is_shared = draft.get("replay.sharing") == "shared"
    most = SHARED_TRANSITIONS if is_shared else TRANSITIONS
    gathered = budget * (parts.size if is_shared else 1)
    room = min(gathered, IMAGES if is_image else most)
    draft.fill("replay.capacity", max(room, draft.count("algorithm.batch_size") or batch))
    draft.fill("replay.warmup", min(LONGEST_WARMUP, budget // 10) // segment * segment)


def _settle_paces(draft: Draft, parts: Parts, budget: int) -> None:
    """In a short run with a paper's numbers actions would be random, and targets old, until its end."""
    updates = budget * _ratio(draft)
    for name, share in parts.algorithm.paces.items() if parts.algorithm else ():
        most = max(1, round(updates * share))
        if most < parts.field_of_algorithm(name):
            draft.fill(f"algorithm.{name}", most)


def _settle_method(draft: Draft, parts: Parts, budget: int, segment: int, evaluation: int, in_steps: bool) -> None:
    path = "population.method.interval"
    if parts.method is not None and parts.has_field("interval"):
        interval = max(_multiple_near(budget / parts.method.rounds, evaluation), _least_interval(draft, evaluation))
        if draft.get("population.method.unit") == "seconds":
            seconds = read_duration(draft.get("budget.seconds"))
            is_known = type(seconds) in (int, float) and 0 < seconds < math.inf
            draft.fill(path, max(1, round(seconds / parts.method.rounds)) if is_known else USUAL_SECONDS)
        updates = _ratio(draft) if parts.has_replay else 1 / segment
        draft.fill(path, interval if in_steps else max(1, round(interval * updates)))
        if in_steps:
            _move_to_evaluation(draft, path, evaluation)
        # Who has learnt nothing yet is not worth selecting.
        warmup = draft.count("replay.warmup") or 0
        is_early = in_steps and not parts.is_joint and (draft.count(path) or interval) < warmup
        draft.fill("population.method.burn_in", warmup if is_early else 0)
    _move_entries(draft, "population.method.schedule", segment)
    if in_steps:
        _move_entries(draft, "population.method.coefficient.values", draft.count(path) or segment)


def _least_interval(draft: Draft, evaluation: int) -> int:
    """Asynchronous members need room to be ready at different evaluations."""
    path = "population.method.asynchronous"
    if draft.get(path) in (None, False):
        return evaluation
    jitter = read_number(draft.get(f"{path}.jitter"))
    is_legal = isinstance(jitter, int | float) and 0 < jitter < 1
    return least_evaluations(jitter if is_legal else AsynchronousSpec().jitter) * evaluation


def _move_entries(draft: Draft, path: str, multiple: int) -> None:
    """Entries with a `step` each, such as those of a schedule."""
    entries = draft.get(path)
    if not isinstance(entries, list | tuple):
        return
    moved: list[Any] = []
    for place, entry in enumerate(cast(list[Any], entries)):
        fields: dict[str, Any] = cast(dict[str, Any], entry) if isinstance(entry, dict) else {}
        step = read_count(fields.get("step"))
        if type(step) is int and step > 0 and step % multiple:
            used = _next_multiple(step, multiple)
            message = f"{step:,} is not a multiple of {multiple:,} steps; {used:,} is used"
            draft.notes.append({"path": f"{path}.{place}.step", "message": message})
            entry = {**fields, "step": used}
        moved.append(entry)
    draft.put(path, moved)


def _move_to_evaluation(draft: Draft, path: str, evaluation: int) -> None:
    _move_to_multiple(draft, path, evaluation, f"not a multiple of evaluation.interval ({evaluation:,})")


def _move_to_multiple(draft: Draft, path: str, multiple: int, reason: str) -> None:
    value = draft.count(path)
    if value is not None and value % multiple:
        draft.move(path, _next_multiple(value, multiple), reason)


def _has_images(entry: EnvironmentEntry | None) -> bool:
    return entry is not None and (len(entry.observation.shape) == 3 or entry.observation.has_images)


def _next_multiple(value: int, of: int) -> int:
    return -(-value // of) * of


def _multiple_near(value: float, of: int) -> int:
    return max(1, round(value / of)) * of


def _largest_divisor(of: int, most: int) -> int:
    return next(share for share in range(most, 0, -1) if of % share == 0)


def _divisor_near(of: int, wanted: float) -> int:
    """By ratio: of 2 and 8, 4 is as near to the one as to the other."""
    small = [share for share in range(1, math.isqrt(of) + 1) if of % share == 0]
    divisors = sorted({*small, *(of // share for share in small)})
    return min(divisors, key=lambda share: abs(math.log(share / max(wanted, 1e-9))))
