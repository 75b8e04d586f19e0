"""Algorithms of populations that learn as one, by their method: `build_joint_algorithm(spec, info)`."""

from phylon.spec import ExperimentSpec, TD3Spec
from phylon.spec.cem_rl import CEMRLSpec, members_of_share
from phylon.spec.dvd import DvDSpec
from phylon.worker.algorithms.diverse_policies import diverse_policies
from phylon.worker.algorithms.shared_sac import shared_sac
from phylon.worker.algorithms.shared_td3 import shared_td3
from phylon.worker.core.types import EnvironmentInfo, JointAlgorithm


def build_joint_algorithm(spec: ExperimentSpec, info: EnvironmentInfo) -> JointAlgorithm | None:
    """None where every member learns alone."""
    algorithm, size = spec.algorithm, spec.population.size
    match spec.population.method:
        case CEMRLSpec() as method if algorithm.name == "sac":
            return shared_sac(algorithm, info, size, members_of_share(size, method.trained))
        case CEMRLSpec() as method:
            assert isinstance(algorithm, TD3Spec)
            return shared_td3(algorithm, info, size, members_of_share(size, method.trained))
        case DvDSpec() as method:
            assert isinstance(algorithm, TD3Spec)
            return shared_td3(algorithm, info, size, size, diverse_policies(method))
        case _:
            return None
