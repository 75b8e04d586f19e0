"""When a device's memory does not suffice: how JAX says so."""

import jax


def is_out_of_memory(error: BaseException) -> bool:
    """JAX raises one class for every failure of a device; the first word of its message says which it is."""
    return isinstance(error, jax.errors.JaxRuntimeError) and str(error).startswith("RESOURCE_EXHAUSTED")
