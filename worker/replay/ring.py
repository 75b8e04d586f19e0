"""One ring of transitions per member, in host memory.

Every field is one array [P, capacity, ...]. All members add at the same time, so one counter serves the population;
each member draws its own indices. Drawing is stateless: the indices follow from (seed, member, segment) alone, so
a checkpoint stores no generator.

With `n_step` above 1 a sample is a transition and the ones that followed it in the same environment, up to the end of
the episode: put together when drawn, so nothing is stored n times. An environment's next transition lies as many places
on as a member has environments.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.types import EnvironmentInfo, NStepTransition, Transition
from phylon.worker.replay.steps import gather_steps, window_of

HostTransition = Transition[NDArray[Any]]
HostSample = Transition[NDArray[Any]] | NStepTransition[NDArray[Any]]

# Third word of the Philox counter: keeps these draws apart from other uses of the same key.
REPLAY_STREAM = 0x5265706C6179


class Replay:
    def __init__(
        self, population_size: int, capacity: int, info: EnvironmentInfo, n_step: int = 1, first: int = 0
    ) -> None:
        """`first`: the slot of the first member, where others are in other processes."""

        def field(*shape: int, dtype: str = "float32") -> NDArray[Any]:
            return np.zeros((population_size, capacity, *shape), dtype)  # memory is allocated when first written

        self.population_size = population_size
        self.capacity = capacity
        self.added = 0
        """Transitions ever added per member; a Python integer, so it cannot overflow."""
        self._first, self._envs, self._n_step = first, info.envs_per_member, n_step
        self._ended = field(dtype="bool") if n_step > 1 else None
        """Where the next transition of the same environment is of another episode."""
        self._fields = Transition(
            obs=field(*info.observation_shape, dtype=info.observation_dtype),
            action=field(*info.action_shape, dtype=info.action_dtype),
            reward=field(),
            terminated=field(),
            next_obs=field(*info.observation_shape, dtype=info.observation_dtype),
        )

    @property
    def size(self) -> int:
        """Transitions per member."""
        return min(self.added, self.capacity)

    def add(self, batch: HostTransition, ended: NDArray[np.bool_] | None = None) -> None:
        """Appends [P, n, ...], overwriting the oldest. With n-step returns `ended` [P, n] is needed: where an episode
        was terminated or truncated."""
        count = batch.reward.shape[1]
        positions = (self.added % self.capacity + np.arange(count)) % self.capacity
        for stored, new in zip(self._fields, batch, strict=True):
            stored[:, positions] = new
        if self._ended is not None:
            assert ended is not None, "n-step returns need to know where episodes end"
            self._ended[:, positions] = ended
        self.added += count

    def cut(self) -> None:
        """All environments restart: nothing that is added from now on follows what was added before."""
        if self._ended is not None:
            count = min(self.added, self._envs)
            self._ended[:, ((self.added - count) % self.capacity + np.arange(count)) % self.capacity] = True

    @property
    def nbytes(self) -> int:
        """Memory of a full replay."""
        return sum(stored.nbytes for stored in self._fields) + (0 if self._ended is None else self._ended.nbytes)

    def read(self, first: int, count: int) -> HostTransition:
        """Transitions [P, count, ...] starting with number `first`, counted from the first ever added."""
        positions = (first % self.capacity + np.arange(count)) % self.capacity
        return Transition(*(stored[:, positions] for stored in self._fields))

    def sample(self, seed: int, segment: int, updates: int, batch_size: int) -> HostSample:
        """Batches for `updates` consecutive updates, [P, updates, batch, ...], drawn uniformly with replacement."""
        return self.gather(self.draw(seed, segment, updates * batch_size).reshape(-1, updates, batch_size))

    def gather(self, indices: NDArray[np.int64]) -> HostSample:
        """The transitions at the drawn indices [...], or those and the steps that followed.

        The arrays are new each time: a device may still be reading the previous ones.
        """
        window = window_of(self.added, self.capacity)
        return gather_steps(_take, self._fields, self._ended, indices, window, self._envs, self._n_step)

    def draw(self, seed: int, segment: int, count: int) -> NDArray[np.int64]:
        """Indices of `count` transitions per member into the storage of all members, [P, count]."""
        first_of_members = self.capacity * np.arange(self.population_size)[:, None]
        slots = range(self._first, self._first + self.population_size)
        return draw_indices(slots, self.size, seed, segment, count) + first_of_members

    def copy(self, parents: NDArray[np.int32]) -> None:
        """Each ring becomes a copy of its parent's, [P]; those that keep their own are not touched."""
        children = np.flatnonzero(parents != np.arange(self.population_size))
        for stored in self._stored().values():
            # The right side is read as a whole before anything is written, so a donor may be replaced itself.
            stored[children, : self.size] = stored[parents[children], : self.size]

    def read_member(self, member: int) -> dict[str, NDArray[Any]]:
        """What `write_member` makes another member's, of a replay to which as much was added."""
        return {name: stored[member, : self.size] for name, stored in self._stored().items()}

    def write_member(self, member: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        for name, stored in self._stored().items():
            stored[member, : self.size] = arrays[name]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """A copy of the filled part, for a checkpoint."""
        filled = {name: stored[:, : self.size].copy() for name, stored in self._stored().items()}
        return {**filled, "added": np.array(self.added, np.uint64)}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores what `to_arrays` returned; shapes must agree."""
        self.added = int(arrays["added"])
        for name, stored in self._stored().items():
            saved = arrays[name]
            expected = (self.population_size, self.size, *stored.shape[2:])
            if saved.shape != expected:
                raise ValueError(f"the saved replay field '{name}' has shape {saved.shape}, not {expected}")
            stored[:, : self.size] = saved

    def _stored(self) -> dict[str, NDArray[Any]]:
        """All arrays [P, capacity, ...] by name."""
        fields = self._fields._asdict()
        return fields if self._ended is None else {**fields, "ended": self._ended}


def draw_indices(slots: range, size: int, seed: int, segment: int, count: int) -> NDArray[np.int64]:
    """Places of `count` transitions in the ring of each of these members, of which the first `size` are filled,
    [slots, count]."""
    if not size:
        raise ValueError("the replay is empty: add transitions before sampling")
    indices = np.empty((len(slots), count), np.int64)
    for row, slot in enumerate(slots):
        bits = np.random.Philox(
            key=np.array([seed, slot], np.uint64), counter=np.array([0, 0, REPLAY_STREAM, segment], np.uint64)
        )
        indices[row] = np.random.Generator(bits).integers(size, size=count)
    return indices


def _take(stored: NDArray[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
    """What lies at the indices [...] of all rings."""
    rows = stored.reshape(-1, *stored.shape[2:])
    return np.take(rows, indices.reshape(-1), axis=0).reshape(*indices.shape, *stored.shape[2:])
