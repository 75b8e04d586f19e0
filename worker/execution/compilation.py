"""Options for single compiled programs, and how JAX tells of compiling them."""

import jax

from phylon.worker.execution.interface import Device

COMPILATION = "/jax/core/compile/"
"""Prefix of the durations that JAX reports for tracing, lowering and compiling, none of which overlap."""


def all_threads(device: Device) -> dict[str, bool | str]:
    """A CPU program in which all cores may share a matrix product.

    By Eigen, which is faster by a tenth at 256 x 256 weights than YNNPACK, the library that XLA takes for itself. Sums
    are left to YNNPACK: without it those of a convolution's bias take longer than the convolution.
    """
    return {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"} if device.platform == "cpu" else {}


def one_thread(device: Device) -> dict[str, bool | str]:
    """A CPU program that should stay on one thread: where every core has a device of its own, or the work is small.

    XLA's own kernels and YNNPACK obey. Eigen shares a large product out all the same, over as many threads as there are
    cores or devices; it alone knows which products are too small for that.
    """
    return all_threads(device) | {"xla_cpu_multi_thread_eigen": False} if device.platform == "cpu" else {}


def seldom_run() -> dict[str, int]:
    """A CPU program whose compilation counts and whose speed does not.

    Drawing random weights is many different little kernels: several seconds to optimise, a millisecond to run.
    """
    return {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else {}
