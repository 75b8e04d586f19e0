"""How population programs are compiled: options for XLA, and programs spread over the devices where members live."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, Mesh, PartitionSpec

from phylon.worker.execution.interface import Device

COMPILATION_EVENTS = "/jax/core/compile/"
"""Prefix of the durations that JAX reports for tracing, lowering and compiling, none of which overlap."""
MEMBER_AXIS = "members"


@contextlib.contextmanager
def watch_compilation(record: Callable[[str, float], None]) -> Iterator[None]:
    """Calls `record` with the name and the seconds of every compilation event of JAX within the context."""

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event.startswith(COMPILATION_EVENTS):
            record(event, duration_secs)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def compile_options(device: Device) -> dict[str, bool | str]:
    """For programs whose speed counts: on a CPU matrix products go to Eigen, sums to YNNPACK.

    XLA would choose YNNPACK for both, which is slower by a tenth at 256 x 256 weights. Without YNNPACK for sums, those
    of a convolution's bias take longer than the convolution. Eigen divides a large product over as many threads as the
    process has cores or devices, and no option prevents it.
    """
    return {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"} if device.platform == "cpu" else {}


def fast_compile_options() -> dict[str, int]:
    """For programs that run so seldom that only their compile time counts.

    Drawing random weights is many different small kernels: several seconds to optimise, a millisecond to run.
    """
    return {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else {}


class Shares(NamedTuple):
    """How many members each device has: the same number, but for the last one where the devices do not divide them."""

    devices: int
    members: int

    @classmethod
    def of(cls, members: int, available: int) -> "Shares":
        """Over the fewest devices of those that shorten the longest share; others would have nothing but copies."""
        each = -(-members // min(members, available))
        return cls(-(-members // each), members)

    @property
    def each(self) -> int:
        return -(-self.members // self.devices)

    @property
    def are_even(self) -> bool:
        return self.members % self.devices == 0

    def fill_up(self, leaf: Any) -> Any:
        """[members, ...] -> [devices * each, ...], by copies of the last member."""
        return leaf[np.minimum(np.arange(self.devices * self.each), self.members - 1)]

    def own(self, tree: Any) -> Any:
        """On a device: of trees of all members [members * rows, ...] those of its own share."""
        slots = jax.lax.axis_index(MEMBER_AXIS) * self.each + jnp.arange(self.each)
        slots = jnp.minimum(slots, self.members - 1)

        def take(leaf: Any) -> Any:
            by_member = leaf.reshape(self.members, len(leaf) // self.members, *leaf.shape[1:])
            return by_member[slots].reshape(-1, *leaf.shape[1:])

        return jax.tree.map(take, tree)

    def hand_round(self, tree: Any) -> Any:
        """On a device: of trees of its own share those of all members; without the copies. Bits only move."""

        def gather(leaf: Any) -> Any:
            if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
                words = gather(jax.random.key_data(leaf))
                return jax.random.wrap_key_data(words, impl=jax.random.key_impl(leaf))
            everyone = jax.lax.all_gather(leaf, MEMBER_AXIS, tiled=True)
            return everyone[: len(leaf) // self.each * self.members]

        return jax.tree.map(gather, tree)


def map_shards(mesh: Mesh | AbstractMesh, function: Callable[..., Any]) -> Callable[..., Any]:
    """Applies `function` to each device's shard of its arguments."""
    split = PartitionSpec(MEMBER_AXIS)
    # Algorithms are written for one member and know of no mesh, so their types are not checked against it.
    return jax.shard_map(function, mesh=mesh, in_specs=split, out_specs=split, check_vma=False)


def compile_over_devices(
    function: Callable[..., Any], devices: Sequence[Device], members: int, donated: tuple[int, ...] = ()
) -> Callable[..., Any]:
    """Compiles a function of trees [members * rows, ...] that treats members independently, one share per device.

    The arguments at the positions `donated` are used up. Where the devices do not divide the members, all of what goes
    in and comes out lies on each of them, as the population does.
    """
    mesh, shares = Mesh(np.array(devices), (MEMBER_AXIS,)), Shares(len(devices), members)

    def own_part(*arguments: Any) -> Any:
        return shares.hand_round(function(*shares.own(arguments)))

    if len(devices) == 1:
        shards = function
    elif shares.are_even:
        shards = map_shards(mesh, function)
    else:
        whole = PartitionSpec()
        shards = jax.shard_map(own_part, mesh=mesh, in_specs=whole, out_specs=whole, check_vma=False)
    return jax.jit(shards, donate_argnums=donated, compiler_options=compile_options(devices[0]))
