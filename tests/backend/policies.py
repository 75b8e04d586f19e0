"""A policy as a trainer writes it, of weights that were never trained."""

import numpy as np

from phylon.policy.folder import policy_files, to_archive
from phylon.policy.making import about_policy, describe_policy
from phylon.policy.network import NativeActions, Spaces
from phylon.spec import parse_spec

SPACES = Spaces((3,), "float32", 1, is_discrete=False)
TORQUE = NativeActions((1,), "float32", (-2.0,), (2.0,))


def policy_archive(run: int | None = None) -> bytes:
    spec = parse_spec({
        "name": "swing",
        "environment": "Pendulum-v1",
        "algorithm": {"name": "td3", "network": {"hidden": [4]}},
        "population": 2,
        "budget": 100_000,
    })  # fmt: skip
    network = describe_policy(spec.algorithm, SPACES, TORQUE)
    shapes = {"hidden_0/kernel": (3, 4), "hidden_0/bias": (4,), "output/kernel": (4, 1), "output/bias": (1,)}
    generator = np.random.default_rng(0)
    weights = {f"policy/params/{name}": generator.normal(size=shape).astype("f4") for name, shape in shapes.items()}
    evaluation = {"mean": -200.0, "low": None, "high": None, "episodes": 1}
    about = about_policy(
        spec, run=run, seed=5, member=1, span=3, step=1000, evaluation=evaluation, versions={"phylon": "0.1.0"}
    )
    return to_archive(policy_files(network, weights, SPACES, TORQUE, about))
