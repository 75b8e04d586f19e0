"""A policy that acts, with NumPy alone."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from phylon.policy import safetensors
from phylon.policy.flattening import flatten_batch, flatten_one, is_batch
from phylon.policy.folder import PolicyInvalid, open_files, read_card
from phylon.policy.names import WEIGHTS_FILE
from phylon.policy.network import ACTION, CHOSEN, OBSERVATION, network_from_json
from phylon.policy.operations import OPERATIONS, choose_each, run
from phylon.policy.parts import part_from_json

__all__ = ["Policy", "PolicyInvalid"]


class Policy:
    """Acts on single observations and on batches, with the `predict` that users of Stable-Baselines3 know.

        policy = Policy.load("walker", seed=0)
        action, _ = policy.predict(observation)

    Actions are the environment's own: within its bounds, of its type and shape.
    """

    def __init__(self, card: Mapping[str, Any], weights: Mapping[str, NDArray[Any]], seed: int | None = None) -> None:
        self.card = card
        """Everything that is known about it; see docs/policies.md."""
        try:
            self.network = network_from_json(card["network"])
            self.observation_shape = tuple(card["observation"]["shape"])
            self.parts = tuple(part_from_json(part) for part in card["observation"].get("parts", ()))
            self._observation_type = np.dtype(card["observation"]["dtype"])
            self._action_type = np.dtype(card["action"]["dtype"])
            self.weights = {name: weights[name] for name in self.network.weights}
        except (KeyError, TypeError, ValueError) as error:
            raise PolicyInvalid(f"the card and the weights do not belong together: {error}") from None
        unknown = {step.operation for step in (*self.network.steps, *self.network.finish)} - OPERATIONS.keys()
        if unknown:
            raise PolicyInvalid(f"its network has operations that this version does not know: {', '.join(unknown)}")
        self.set_random_seed(seed)

    @classmethod
    def load(cls, source: str | Path | int, seed: int | None = None) -> "Policy":
        """`source`: a folder or zip file with a policy, the directory of a run, or a run's number on the service.

        `seed`: of the actions that are drawn.
        """
        if isinstance(source, int):
            from phylon.client import Client  # only here, where the network is needed

            with Client() as client:
                return cls.load(client.download_policy(source), seed)
        card, content = read_card(source), open_files(source)(WEIGHTS_FILE)
        if hashlib.sha256(content).hexdigest() != card["weights"]["sha256"]:
            raise PolicyInvalid(f"the weights in '{source}' are not those of its card; export the policy again")
        try:
            return cls(card, safetensors.from_bytes(content), seed)
        except safetensors.WeightsInvalid as error:
            raise PolicyInvalid(f"'{source}': {error}") from None

    def set_random_seed(self, seed: int | None = None) -> None:
        """Whatever is drawn from now on follows from it."""
        self._generator = np.random.default_rng(seed)

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], Any]:
        """An action for each observation, and `state` as it came: these policies remember nothing.

        `observation`: one of `observation_shape`, or a batch of them; of a composite space in the environment's own
        structure, or laid flat. With `deterministic=False` a stochastic policy
        draws; one that has no distribution (TD3, DDPG, DQN) has but one action for an observation.
        """
        del episode_start
        batch, is_single = self._batch(observation)
        chosen = self._choose(self.outputs(batch), deterministic)
        values = run(np, self.network.finish, {CHOSEN: chosen}, self.weights, OPERATIONS)
        action = values[ACTION].astype(self._action_type)
        return (action[0] if is_single else action), state

    def act(self, batch: NDArray[Any], deterministic: bool = True) -> NDArray[Any]:
        """Actions as the environments of the engine take them: in [-1, 1], or counted from 0."""
        chosen = self._choose(self.outputs(batch), deterministic)
        *steps, last = self.network.finish
        value = run(np, tuple(steps), {CHOSEN: chosen}, self.weights, OPERATIONS)[last.inputs[0]]
        return np.clip(value, -1, 1) if self.card["action"]["kind"] == "box" else value.astype(np.int32)

    def outputs(self, batch: NDArray[Any]) -> dict[str, NDArray[np.float32]]:
        """What the network says of a batch: `mean` and `log_std`, or `logits`."""
        begin = {OBSERVATION: batch.astype(np.float32)}
        values = run(np, self.network.steps, begin, self.weights, OPERATIONS)
        return {role: values[name] for role, name in self.network.outputs.items()}

    def _batch(self, observation: Any) -> tuple[NDArray[Any], bool]:
        if self.parts and not _is_flat(observation, self.observation_shape):
            if is_batch(self.parts, observation):
                return flatten_batch(self.parts, observation), False
            return flatten_one(self.parts, observation)[None], True
        array, shape = np.asarray(observation), self.observation_shape
        is_single = array.shape == shape
        if not is_single and array.shape[1:] != shape:
            raise ValueError(
                f"an observation has the shape {array.shape}; this policy takes {shape}, or a batch [n, {shape}]"
            )
        if self._observation_type == np.uint8 and array.dtype != np.uint8:
            raise ValueError(f"an observation is of type {array.dtype}; this policy takes images of bytes (uint8)")
        return (array[None] if is_single else array).astype(self._observation_type), is_single

    def _choose(self, outputs: Mapping[str, NDArray[np.float32]], deterministic: bool) -> NDArray[Any]:
        draws = self.network.is_stochastic and not deterministic
        if "logits" in outputs:
            logits = outputs["logits"]
            # The largest after Gumbel noise is a draw from the softmax.
            noise = self._generator.gumbel(size=logits.shape) if draws else 0.0
            if self.network.counts:
                return choose_each(np, logits + noise, self.network.counts)
            return np.argmax(logits + noise, axis=-1)
        mean = outputs["mean"]
        if not draws:
            return mean
        return mean + np.exp(outputs["log_std"]) * self._generator.standard_normal(mean.shape, np.float32)


def _is_flat(observation: Any, shape: tuple[int, ...]) -> bool:
    """Whether a composite observation comes as the vector that a trainer sees, or as a batch of such."""
    if not isinstance(observation, np.ndarray):
        return False
    array = cast(NDArray[Any], observation)
    return array.shape[-1:] == shape and array.dtype.kind == "f"
