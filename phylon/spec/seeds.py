"""Which seed each replicate trains with, the same on the platform and in `phylon train`."""

from phylon.spec.experiment import ExperimentSpec


def replicate_seed(spec: ExperimentSpec, replicate: int) -> int:
    """Replicate 0 has the spec's own seed, so that one of a single replicate says it plainly."""
    return (spec.seed + replicate) % 2**31
