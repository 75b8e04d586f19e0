"""An array with its axes in another order; on a CPU written down as an array of its own."""

from functools import partial

import jax
from jax.experimental.xla_metadata import set_xla_metadata

from phylon.worker.core.types import Array


def transposed_copy(array: Array, *axes: int) -> Array:
    """Without axes the transpose of a matrix.

    Left to itself XLA makes no copy for a CPU, or merges it with what computes the array into a loop three times as
    slow. A call that is not inlined has a border which nothing is merged across.
    """
    if jax.default_backend() != "cpu":
        return array.transpose(axes or (1, 0))
    with set_xla_metadata(inlineable="false"):
        return _transpose(array, axes or (1, 0))


@partial(jax.jit, static_argnums=1)
def _transpose(array: Array, axes: tuple[int, ...]) -> Array:
    return array.transpose(axes)
