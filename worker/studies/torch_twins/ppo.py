"""PPO on a rollout [steps, envs] that is processed once, with separate networks for policy and value.

Fields are [..., steps, envs] and, flat, [..., steps * envs]; only the vectorized twin has a leading axis of members.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from phylon.spec.algorithms.networks import MLPSpec
from phylon.spec.algorithms.ppo import PPOSpec
from phylon.worker.studies.torch_twins.layers import MLP, parameters
from phylon.worker.studies.torch_twins.optimiser import adam
from phylon.worker.studies.torch_twins.twin import TwinHyperparams, compile_if
from phylon.worker.studies.workload import ACTIONS, VECTOR, Data

ADAM_EPSILON = 1e-5
REWARD_CLIP = 10.0


class Minibatch(NamedTuple):
    obs: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    advantage: Tensor
    target: Tensor


class PolicyAndValue(nn.Module):
    def __init__(self, members: int | None, spec: MLPSpec) -> None:
        super().__init__()
        self.policy = MLP(members, spec, VECTOR, [ACTIONS])
        self.value = MLP(members, spec, VECTOR, [1])
        self.log_std = nn.Parameter(torch.zeros(ACTIONS) if members is None else torch.zeros(members, 1, ACTIONS))

    def forward(self, obs: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        """Log-densities of the actions, and values."""
        standardised = (action - self.policy(obs)[0]) * torch.exp(-self.log_std)
        terms = 0.5 * standardised.square() + self.log_std + 0.5 * math.log(2 * math.pi)
        return -terms.sum(-1), self.value(obs)[0][..., 0]


class PPOTwin:
    def __init__(self, spec: PPOSpec, members: int | None, device: Any, compiled: bool) -> None:
        chosen = (spec.torsos, spec.value_clip, spec.advantage_normalisation, spec.reward_normalisation, spec.epochs)
        if chosen != ("separate", True, "minibatch", True, 1) or not isinstance(spec.network, MLPSpec):
            raise ValueError("PyTorch's twin of PPO has the spec's defaults, an MLP, and one epoch")
        self._members, self._device, self._minibatches = members, device, spec.minibatches
        self._hyperparams = TwinHyperparams(spec, members, device)
        self.network = PolicyAndValue(members, spec.network).to(device)
        self._weights = parameters(self.network)
        self._adam = adam(self._weights, self._hyperparams.all("learning_rate"), ADAM_EPSILON, compiled)
        self._loss = compile_if(compiled, minibatch_loss)
        lead = () if members is None else (members,)
        # count, mean and variance of the discounted returns, and the returns of running episodes
        self._moments = [torch.full(lead, value, device=device) for value in (1e-4, 0.0, 1.0)]
        self._returns: Tensor | None = None

    def arrange(self, data: Data) -> Data:
        tensors = [torch.from_numpy(field).to(self._device) for field in data]
        return Data(*(field[0] if self._members is None else field for field in tensors))  # pyright: ignore[reportArgumentType]

    def learn(self, arranged: Data) -> None:
        self.update(arranged, self.draw(arranged))

    def draw(self, rollout: Data) -> Tensor:
        """An order of the rollout's rows, [..., rows]."""
        reward: Any = rollout.reward
        return torch.rand_like(reward.flatten(-2)).argsort(-1)

    def update(self, rollout: Data, order: Tensor) -> None:
        with torch.no_grad():
            experience = self._estimate_advantages(rollout)
        for rows in order.chunk(self._minibatches, -1):
            minibatch = Minibatch(*(_take_rows(field, rows) for field in experience))
            loss = self._loss(
                self.network,
                minibatch,
                self._hyperparams.batch("clip"),
                self._hyperparams.all("value_coefficient"),
                self._hyperparams.all("entropy_coefficient"),
            )
            gradients = torch.autograd.grad(loss, self._weights)
            self._adam.step(self._clip_gradients(gradients))

    def _estimate_advantages(self, rollout: Data) -> Minibatch:
        rewards = self._scale_rewards(rollout)
        obs, action, next_obs = (_flatten(field, 1) for field in (rollout.obs, rollout.action, rollout.next_obs))
        log_prob, value = self.network(obs, action)
        next_value = self.network.value(next_obs)[0][..., 0]
        shape = rewards.shape
        goes_on = 1 - rollout.terminated
        discount, trace = self._hyperparams.features("discount"), self._hyperparams.batch("gae_lambda")
        errors = rewards + discount * goes_on * next_value.reshape(shape) - value.reshape(shape)
        weights: Any = discount * goes_on
        advantage, later = torch.empty_like(errors), torch.zeros_like(errors[..., 0, :])
        for step in reversed(range(shape[-2])):
            later = errors[..., step, :] + weights[..., step, :] * goes_on[..., step, :] * trace * later
            advantage[..., step, :] = later
        flat = advantage.flatten(-2)
        return Minibatch(obs, action, log_prob, value, flat, flat + value)

    def _scale_rewards(self, rollout: Data) -> Tensor:
        """Rewards divided by the running deviation of the discounted return."""
        reward: Any = rollout.reward
        ended: Any = rollout.terminated
        discount = self._hyperparams.batch("discount")
        carried = torch.zeros_like(reward[..., 0, :]) if self._returns is None else self._returns
        returns = torch.empty_like(reward)
        for step in range(reward.shape[-2]):
            now = discount * carried + reward[..., step, :]
            returns[..., step, :] = now
            carried = (1 - ended[..., step, :]) * now
        self._returns = carried
        count, mean, variance = self._moments
        values = returns.flatten(-2)
        total = count + values.shape[-1]
        share = values.shape[-1] / total
        difference = values.mean(-1) - mean
        variance = (
            (1 - share) * variance + share * values.var(-1, correction=0) + share * (1 - share) * difference.square()
        )
        self._moments = [total, mean + share * difference, variance]
        return (reward / torch.sqrt(variance + 1e-8)[..., None, None]).clamp(-REWARD_CLIP, REWARD_CLIP)

    def _clip_gradients(self, gradients: tuple[Tensor, ...]) -> list[Tensor]:
        """Scaled down to a joint norm of at most `max_gradient_norm`, per member."""
        limit = self._hyperparams.all("max_gradient_norm")
        if self._members is None:
            norm = torch.sqrt(sum(gradient.square().sum() for gradient in gradients))  # pyright: ignore[reportArgumentType]
            factor = (limit / norm.clamp(min=1e-12)).clamp(max=1)
            return [factor * gradient for gradient in gradients]
        norm = torch.sqrt(sum(gradient.square().flatten(1).sum(1) for gradient in gradients))  # pyright: ignore[reportArgumentType]
        factor = (limit / norm.clamp(min=1e-12)).clamp(max=1)
        return [factor.reshape(-1, *[1] * (gradient.ndim - 1)) * gradient for gradient in gradients]


def minibatch_loss(
    network: PolicyAndValue, batch: Minibatch, clip: Any, value_weight: Any, entropy_weight: Any
) -> Tensor:
    log_prob, value = network(batch.obs, batch.action)
    spread = batch.advantage.std(-1, correction=0, keepdim=True) + 1e-5
    advantage = (batch.advantage - batch.advantage.mean(-1, keepdim=True)) / spread
    ratio = torch.exp(log_prob - batch.log_prob)
    policy_loss = -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
    near = batch.value + (value - batch.value).clamp(-clip, clip)
    errors = torch.maximum((value - batch.target).square(), (near - batch.target).square())
    entropy = (network.log_std + 0.5 * math.log(2 * math.pi * math.e)).sum(-1)  # [] or [members, 1]
    per_member = policy_loss.mean(-1) + value_weight * 0.5 * errors.mean(-1)
    return (per_member - entropy_weight * entropy.reshape(per_member.shape)).sum()


def _flatten(field: Any, features: int) -> Any:
    """[..., steps, envs, feature] -> [..., steps * envs, feature]."""
    return field.flatten(-2 - features, -1 - features)


def _take_rows(field: Tensor, rows: Tensor) -> Tensor:
    if rows.ndim == 1:
        return field[rows]
    return field[torch.arange(len(rows), device=rows.device)[:, None], rows]
