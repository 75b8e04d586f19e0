"""What a sample of a replay is: transitions, or those and the steps that followed. One rule for host and device."""

from collections.abc import Callable
from typing import Any, NamedTuple

from phylon.worker.core.types import NStepTransition, Transition


class Window(NamedTuple):
    """What of a ring is filled: numbers of Python, or scalars on the device."""

    oldest: Any
    """Its place."""
    size: Any
    capacity: int

    def ages(self, indices: Any) -> Any:
        """How many transitions were added before each of these, of those that are there."""
        return (indices - self.oldest) % self.capacity

    def at_age(self, indices: Any, ages: Any) -> Any:
        """The transitions of these ages, in the rings of the given ones."""
        return indices - indices % self.capacity + (self.oldest + ages) % self.capacity


def window_of(added: int, capacity: int) -> Window:
    """Of a ring to which so many transitions were ever added."""
    size = min(added, capacity)
    return Window((added - size) % capacity, size, capacity)


def gather_steps(
    take: Callable[[Any, Any], Any],
    fields: Transition[Any],
    ended: Any,
    indices: Any,
    window: Window,
    envs: int,
    n_step: int,
) -> Transition[Any] | NStepTransition[Any]:
    """The transitions at the indices [...], each with the `n_step` - 1 that followed in its environment and episode.

    `take`: (a stored field, indices) -> what lies there. `ended`: where episodes end, None for single steps.
    """
    first = Transition(*(take(stored, indices) for stored in fields))
    if ended is None:
        return first
    numbers = indices.__array_namespace__()
    rewards, steps = [first.reward], numbers.ones(indices.shape, "float32")
    last, age, goes_on = indices, window.ages(indices), ~take(ended, indices)
    for _ in range(1, n_step):
        age = age + envs
        goes_on = goes_on & (age < window.size)  # beyond the newest there is the oldest
        last = numbers.where(goes_on, window.at_age(indices, age), last)
        rewards.append(numbers.where(goes_on, take(fields.reward, last), 0))
        steps = steps + goes_on
        goes_on = goes_on & ~take(ended, last)
    terminated, next_obs = (take(stored, last) for stored in (fields.terminated, fields.next_obs))
    return NStepTransition(first.obs, first.action, numbers.stack(rewards, axis=-1), terminated, next_obs, steps)
