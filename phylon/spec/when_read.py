"""When members read a hyper-parameter, and which ones a method changes while they train."""

from typing import TYPE_CHECKING

from phylon.registry.descriptions import WhenRead
from phylon.spec.algorithms import tuned
from phylon.spec.registered import describe_algorithm, describe_method
from phylon.spec.schedule_method import ScheduleSpec

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def when_read(spec: "ExperimentSpec", name: str) -> WhenRead:
    """As the algorithm's description says. The trainer compares it with the programs that it traced."""
    description = describe_algorithm(spec.algorithm)
    part, resets = description.read_at_birth(spec.algorithm).get(name), spec.resets
    if part is None:
        return "training"
    is_renewed = resets is not None and part in (resets.parts or description.state(spec.algorithm).parts)
    return "reset" if is_renewed else "birth"


def moved_hyperparameters(spec: "ExperimentSpec") -> set[str]:
    """Those whose values the method changes while members train. Where it changes none, members keep what they drew."""
    method = spec.population.method
    if not isinstance(method, ScheduleSpec):
        return set(tuned(spec.algorithm)) if describe_method(method).moves_hyperparameters else set()
    first = method.schedule[0].values
    later = (item for entry in method.schedule[1:] for item in entry.values.items())
    return {name for name, value in later if name not in first or value != first[name]}
