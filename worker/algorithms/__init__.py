"""Algorithms by name: `build_algorithm(spec, info)` gives the functions that train one member."""

from pkgutil import resolve_name

from phylon.spec.algorithms import AlgorithmSpec
from phylon.spec.algorithms.decay import decay_of
from phylon.spec.algorithms.n_step import n_step_of
from phylon.spec.algorithms.observations import observations_of
from phylon.spec.registered import describe_algorithm
from phylon.worker.algorithms.n_step import with_n_step_returns
from phylon.worker.algorithms.normalisation import with_normalised_observations
from phylon.worker.core.types import Algorithm, EnvironmentInfo
from phylon.worker.learning.decay import decaying_rates

__all__ = ["build_algorithm"]


def build_algorithm(spec: AlgorithmSpec, info: EnvironmentInfo, updates: range | None = None) -> Algorithm:
    """Structure (sizes, layers) is closed over and compiled in; numbers arrive as `Hyperparams` at each call.

    `updates`: the numbers of all updates of the run, which learning rates that decay follow.
    """
    description = describe_algorithm(spec)
    algorithm: Algorithm = resolve_name(description.engine)(spec, info)
    algorithm = algorithm._replace(learns_from=description.experience, layout=description.state(spec))
    decay = decay_of(spec)
    if decay.shape != "none":
        if updates is None:
            raise ValueError("learning rates that decay over a run need the numbers of its updates: give `updates`")
        rates = tuple(name for name in description.learning_rates if name not in description.unread(spec))
        schedule = decaying_rates(rates, decay.shape, decay.end, updates)
        algorithm = algorithm._replace(schedule=schedule)
    observations = observations_of(spec)
    if observations.normalise:
        algorithm = with_normalised_observations(algorithm, info.observation_shape, observations.clip)
    return with_n_step_returns(algorithm) if n_step_of(spec) > 1 else algorithm
