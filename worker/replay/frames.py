"""A replay for observations that are stacks of the latest frames: it stores each frame once, and no stacks.

Frames are numbered in order of time, per member, and a ring of transitions holds the numbers in place of observations.
A stack is rebuilt when it is sampled, so a sample is what a ring of whole stacks would give, bit for bit. Whether a
frame is stored already is decided by comparing pixels: an observation may be the previous successor, a successor may be
shifted by one frame, a frame may equal the one before it (with which environments fill the first stack of an episode).
So the replay needs no knowledge of how episodes start, end, or are cut by a checkpoint.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.forecast.memory import frame_slots
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.replay.ring import HostSample, HostTransition, Replay

BEFORE, AFTER = 0, 1
"""The two stacks of a transition."""


class FrameReplay:
    """Transitions are added in whole calls: one per environment of the member, in their order."""

    def __init__(
        self, population_size: int, capacity: int, info: EnvironmentInfo, n_step: int = 1, first: int = 0
    ) -> None:
        *sides, channels = info.observation_shape
        self._stack, self._envs = info.frame_stack, info.envs_per_member
        self._frame = (*sides, channels // self._stack)
        self._ring = Replay(
            population_size,
            capacity,
            info._replace(observation_shape=(self._stack,), observation_dtype="int64"),
            n_step,
            first,
        )
        self._ends = np.zeros(population_size, np.int64)
        """The number of each member's next frame."""
        slots = frame_slots(capacity)
        self._frames = np.zeros((population_size, slots, *self._frame), info.observation_dtype)
        """Frame n of a member lies in slot n modulo the number of slots. Memory is allocated when first written."""

    @property
    def population_size(self) -> int:
        return self._ring.population_size

    @property
    def size(self) -> int:
        return self._ring.size

    @property
    def nbytes(self) -> int:
        return self._ring.nbytes + self._frames.nbytes

    def add(self, batch: HostTransition, ended: NDArray[np.bool_] | None = None) -> None:
        stacks = np.stack([self._split_stacks(batch.obs), self._split_stacks(batch.next_obs)], axis=2)
        numbers, is_new = self._number_frames(stacks)
        self._ring.add(batch._replace(obs=numbers[:, :, BEFORE], next_obs=numbers[:, :, AFTER]), ended)
        first, ends = self._first_needed(), self._ends + is_new.sum(axis=(1, 2, 3))
        self._make_room(first, int((ends - first).max()))
        is_new &= numbers >= first[:, None, None, None]  # a batch may be larger than the replay
        self._frames[np.nonzero(is_new)[0], numbers[is_new] % self._slots] = stacks[is_new]
        self._ends = ends

    def cut(self) -> None:
        self._ring.cut()

    def sample(self, seed: int, segment: int, updates: int, batch_size: int) -> HostSample:
        return self.gather(self.draw(seed, segment, updates * batch_size).reshape(-1, updates, batch_size))

    def draw(self, seed: int, segment: int, count: int) -> NDArray[np.int64]:
        return self._ring.draw(seed, segment, count)

    def gather(self, indices: NDArray[np.int64]) -> HostSample:
        drawn = self._ring.gather(indices)
        return drawn._replace(obs=self._build_stacks(drawn.obs), next_obs=self._build_stacks(drawn.next_obs))

    def copy(self, parents: NDArray[np.int32]) -> None:
        """Each member's experience becomes that of its parent, [P]."""
        self._ring.copy(parents)
        children = np.flatnonzero(parents != np.arange(self.population_size))
        self._frames[children] = self._frames[parents[children]]
        self._ends = self._ends[parents]

    def read_member(self, member: int) -> dict[str, NDArray[Any]]:
        numbers = np.arange(self._first_needed()[member], self._ends[member])
        frames = {"frames": self._frames[member, numbers % self._slots], "end_frame": self._ends[member].copy()}
        return {**self._ring.read_member(member), **frames}

    def write_member(self, member: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        frames, end = arrays["frames"], int(arrays["end_frame"])
        self._make_room(self._first_needed(), len(frames))
        self._ring.write_member(member, arrays)
        self._ends[member] = end
        self._frames[member, np.arange(end - len(frames), end) % self._slots] = frames

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        first = self._first_needed()
        frames = [
            self._frames[member, np.arange(first[member], self._ends[member]) % self._slots]
            for member in range(self.population_size)
        ]
        return {
            **self._ring.to_arrays(),
            "frames": np.concatenate(frames),
            "first_frame": first,
            "end_frame": self._ends.copy(),
        }

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._ring.from_arrays(arrays)
        first, self._ends = arrays["first_frame"], arrays["end_frame"].copy()
        counts = self._ends - first
        saved, expected = arrays["frames"], (int(counts.sum()), *self._frame)
        if saved.shape != expected:
            raise ValueError(f"the saved replay field 'frames' has shape {saved.shape}, not {expected}")
        self._make_room(self._ends, int(counts.max()))
        for member, frames in enumerate(np.split(saved, np.cumsum(counts)[:-1])):
            self._frames[member, np.arange(first[member], self._ends[member]) % self._slots] = frames

    @property
    def _slots(self) -> int:
        return self._frames.shape[1]

    def _split_stacks(self, observations: NDArray[Any]) -> NDArray[Any]:
        """[P, n, *sides, stack * channels] -> [P, n, stack, *sides, channels]."""
        *sides, channels = self._frame
        return np.moveaxis(observations.reshape(*observations.shape[:2], *sides, self._stack, channels), -2, 2)

    def _number_frames(self, stacks: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For stacks [P, n, 2, stack, *frame] the numbers of their frames, and which of these have to be stored."""
        shape, axes = stacks.shape[:4], (self.population_size, -1, self._envs, 2, self._stack)
        stacks = stacks.reshape(*axes, *self._frame)
        before, after = stacks[:, :, :, BEFORE], stacks[:, :, :, AFTER]

        is_repeated = np.zeros(stacks.shape[:5], np.bool_)
        is_repeated[..., 1:] = _equal(stacks[:, :, :, :, 1:], stacks[:, :, :, :, :-1], 5)
        is_shifted = _equal(after[:, :, :, :-1], before[:, :, :, 1:], 3)[..., None]
        continues = np.zeros(is_shifted.shape, np.bool_)
        continues[:, 1:, :, 0] = _equal(before[:, 1:], after[:, :-1], 3)
        latest = self._latest_numbers()
        if latest is not None:
            continues[:, 0, :, 0] = _equal(before[:, 0], self._split_stacks(self._build_stacks(latest)), 2)

        is_new = ~is_repeated
        is_new[:, :, :, BEFORE] &= ~continues
        is_new[:, :, :, AFTER, :-1] &= ~is_shifted
        count = is_new.reshape(self.population_size, -1).cumsum(axis=1)
        numbers = (self._ends[:, None] + count - 1).reshape(is_new.shape)  # of new frames, and repetitions of them
        for call in range(len(stacks[0])):
            obs, next_obs = numbers[:, call, :, BEFORE], numbers[:, call, :, AFTER]
            if latest is not None:
                np.copyto(obs, latest, where=continues[:, call])
            np.copyto(next_obs[..., :-1], obs[..., 1:], where=is_shifted[:, call])
            np.copyto(next_obs[..., -1], next_obs[..., -2], where=is_repeated[:, call, :, AFTER, -1])
            latest = next_obs
        return numbers.reshape(shape), is_new.reshape(shape)

    def _latest_numbers(self) -> NDArray[np.int64] | None:
        """Of the stacks that the latest call led to, [P, envs, stack]."""
        if self.size < self._envs:
            return None
        return self._ring.read(self._ring.added - self._envs, self._envs).next_obs

    def _first_needed(self) -> NDArray[np.int64]:
        """The oldest frame per member that a stored or future transition can contain, [P].

        The oldest transition of each environment decides for that environment, because numbers only grow.
        """
        if not self.size:
            return np.zeros(self.population_size, np.int64)
        oldest = self._ring.read(self._ring.added - self.size, min(self._envs, self.size))
        return oldest.obs.min(axis=(1, 2))

    def _make_room(self, first: NDArray[np.int64], count: int) -> None:
        """Short episodes have more frames than transitions, so more slots may be needed."""
        if count <= self._slots:
            return
        slots = max(count, self._slots + self._slots // 4)
        frames = np.zeros((self.population_size, slots, *self._frame), self._frames.dtype)
        for member in range(self.population_size):
            kept = np.arange(first[member], self._ends[member])
            frames[member, kept % slots] = self._frames[member, kept % self._slots]
        self._frames = frames

    def _build_stacks(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Frames [P, ..., stack] -> observations [P, ..., *sides, stack * channels]."""
        *sides, channels = self._frame
        members = np.arange(self.population_size).reshape(-1, *(1,) * (numbers.ndim - 1))
        rows, frames = members * self._slots + numbers % self._slots, self._frames.reshape(-1, *self._frame)
        result = np.empty((math.prod(rows.shape[:-1]), *sides, self._stack, channels), frames.dtype)
        for place in range(self._stack):  # four times as fast as moving the axis of all at once
            result[..., place, :] = frames[rows[..., place].reshape(-1)]
        return result.reshape(*rows.shape[:-1], *sides, self._stack * channels)


def _equal(left: NDArray[Any], right: NDArray[Any], axes: int) -> NDArray[np.bool_]:
    """Which images are equal, [the first `axes`]."""
    return (left == right).all(axis=tuple(range(axes, left.ndim)))
