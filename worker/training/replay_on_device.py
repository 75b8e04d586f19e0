"""A replay that lies on the devices, each member's ring beside the member; see `worker/replay/device_ring.py`.

Which transitions are drawn, and what a checkpoint holds, is as with the replay in host memory, so a checkpoint is good
for both.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.spec import ExperimentSpec
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.segments import segment_updates, updates_at_once
from phylon.worker.core.types import EnvironmentInfo, Rollout
from phylon.worker.execution import Execution
from phylon.worker.execution.compilation import compile_over_devices
from phylon.worker.replay import device_ring
from phylon.worker.replay.device_ring import DeviceRing, empty_rings
from phylon.worker.replay.ring import draw_indices
from phylon.worker.replay.steps import Window, window_of


class DeviceReplay:
    """Batches are gathered where a segment is one program (`segment_on_device.py`); here is all else."""

    def __init__(
        self, spec: ExperimentSpec, info: EnvironmentInfo, seed: int, execution: Execution, here: range
    ) -> None:
        """`here`: the members whose weights are in this process."""
        assert spec.replay is not None and spec.algorithm.learns_from == "replay"
        self.updates = segment_updates(spec)
        self.at_once = updates_at_once(self.updates, is_cpu=jax.default_backend() == "cpu")
        self.warmup = spec.replay.warmup
        self.envs, self.n_step = info.envs_per_member, n_step_of(spec.algorithm)
        self.added = 0
        """Transitions ever added per member."""
        self._here, self._size, self._capacity = here, len(here), spec.replay.capacity
        self._seed, self._batch_size = seed, spec.algorithm.batch_size
        self._place, self._gather = execution.place, execution.gather
        where = execution.place(np.zeros(self._size, np.int32)).sharding
        self.rings = empty_rings(self._size, self._capacity, info, self.n_step, where)
        """[P, capacity, ...]. Programs use them up and give back the next ones."""
        spread = partial(compile_over_devices, devices=execution.devices, members=self._size, donated=(0,))
        self._write = spread(jax.vmap(device_ring.write))
        self._cut = spread(jax.vmap(partial(device_ring.cut, envs=self.envs)))

    @property
    def start(self) -> int:
        """The place where the next transition goes."""
        return self.added % self._capacity

    def window(self, more: int) -> Window:
        """What is filled when so many transitions more have been added per member."""
        return window_of(self.added + more, self._capacity)

    def add(self, rollout: Rollout[Any]) -> None:
        self.rings = self._write(self.rings, rollout, self.by_member(self.start))
        self.added += rollout.truncated[0].size

    def cut(self) -> None:
        if self.rings.ended is not None and self.added:
            self.rings = self.rings._replace(ended=self._cut(self.rings.ended, self.by_member(self.start)))

    def draw(self, segment: int, more: int) -> NDArray[np.int32]:
        """Places in each member's ring for the updates of a segment that adds so many transitions:
        [P, calls, updates of a call, batch]."""
        size = self.window(more).size
        drawn = draw_indices(self._here, size, self._seed, segment, self.updates * self._batch_size)
        return drawn.astype(np.int32).reshape(self._size, -1, self.at_once, self._batch_size)

    def by_member(self, number: int) -> Any:
        """The same number for each, where the members live."""
        return self._place(np.full(self._size, number, np.int32))

    def copy(self, parents: NDArray[np.int32]) -> None:
        # One field after the other: both rings are there at once of a field only.
        fields = self._named()
        for name in list(fields):
            fields[name] = self._gather(fields.pop(name), parents)
        self._take_over(fields)

    def read_member(self, member: int) -> dict[str, NDArray[Any]]:
        filled = self.window(0).size
        return {name: np.asarray(stored[member, :filled]) for name, stored in self._named().items()}

    def write_member(self, member: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        filled = self.window(0).size

        def write(name: str, stored: jax.Array) -> NDArray[Any]:
            whole = np.array(jax.device_get(stored))
            whole[member, :filled] = arrays[name]
            return whole

        self._rewrite(write)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        filled = self.window(0).size
        arrays = {name: np.array(jax.device_get(stored)[:, :filled]) for name, stored in self._named().items()}
        return {**arrays, "added": np.array(self.added, np.uint64)}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.added = int(arrays["added"])
        filled = self.window(0).size

        def restore(name: str, stored: jax.Array) -> NDArray[Any]:
            saved, expected = arrays[name], (self._size, filled, *stored.shape[2:])
            if saved.shape != expected:
                raise ValueError(f"the saved replay field '{name}' has shape {saved.shape}, not {expected}")
            whole = np.zeros(stored.shape, stored.dtype)
            whole[:, :filled] = saved
            return whole

        self._rewrite(restore)

    def _rewrite(self, make: Callable[[str, jax.Array], NDArray[Any]]) -> None:
        """Field by field, on the host: that is seldom, and a ring stays where it is placed."""
        fields = self._named()
        for name, stored in fields.items():
            fields[name] = self._place(make(name, stored))
        self._take_over(fields)

    def _named(self) -> dict[str, jax.Array]:
        """All arrays [P, capacity, ...] by the names that they have in a checkpoint."""
        fields, ended = self.rings
        return fields._asdict() if ended is None else {**fields._asdict(), "ended": ended}

    def _take_over(self, named: dict[str, jax.Array]) -> None:
        ended = named.pop("ended", None)
        self.rings = DeviceRing(self.rings.fields._replace(**named), ended)
