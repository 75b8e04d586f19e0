"""`python -m phylon.worker.core.computes COUNT`: exit code 0 when JAX has so many devices and each computes."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


def main(wanted: int) -> int:
    devices = jax.devices()
    if len(devices) < wanted:
        print(f"JAX has {len(devices)} of {wanted} devices: {devices}")
        return 1
    for device in devices:
        numbers = jax.device_put(np.arange(4, dtype=np.float32), device)
        result = float(jax.jit(jnp.vdot)(numbers, numbers))
        if result != 14.0:
            print(f"{device} computes 0 + 1 + 4 + 9 = {result}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
