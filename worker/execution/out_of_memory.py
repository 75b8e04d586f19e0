"""When a device's memory does not suffice: how JAX says so."""

import jax


def is_out_of_memory(error: BaseException) -> bool:
    """Of a device. Of what it raises for whatever goes wrong there, JAX tells these apart by their first word only."""
    return isinstance(error, jax.errors.JaxRuntimeError) and str(error).startswith("RESOURCE_EXHAUSTED")
