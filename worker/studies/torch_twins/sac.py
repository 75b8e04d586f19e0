"""SAC: a stochastic policy, critics with targets, and a temperature that adapts."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from phylon.spec import SACSpec
from phylon.worker.studies.torch_twins.deterministic import critic_loss
from phylon.worker.studies.torch_twins.layers import MLP, Critics, parameters
from phylon.worker.studies.torch_twins.optimiser import adam
from phylon.worker.studies.torch_twins.twin import Target, TwinHyperparams, compile_if, split_by_update, sum_of_means
from phylon.worker.studies.workload import ACTIONS, VECTOR, Data

LOWEST_LOG_STD, HIGHEST_LOG_STD = -10.0, 2.0


class SACTwin:
    def __init__(self, spec: SACSpec, members: int | None, device: Any, compiled: bool) -> None:
        self._members, self._device = members, device
        hyperparams = TwinHyperparams(spec, members, device)
        self._weights = hyperparams.batch("discount"), hyperparams.batch("reward_scale")
        self._target_entropy = -hyperparams.plain("target_entropy_scale") * ACTIONS
        self.policy = MLP(members, spec.network, VECTOR, [ACTIONS, ACTIONS]).to(device)
        self.critic = Critics(members, spec.network, VECTOR + ACTIONS, spec.critics).to(device)
        start = math.log(hyperparams.plain("initial_temperature"))
        self.log_temperature = torch.full(() if members is None else (members,), start, device=device)
        self._policy_weights, self._critic_weights = parameters(self.policy), parameters(self.critic)
        self._policy_adam = adam(self._policy_weights, hyperparams.all("policy_learning_rate"), compiled=compiled)
        self._critic_adam = adam(self._critic_weights, hyperparams.all("critic_learning_rate"), compiled=compiled)
        self._temperature_adam = adam([self.log_temperature], hyperparams.all("temperature_learning_rate"))
        self.target_critic = Target(self.critic, hyperparams.all("target_rate"))
        self._targets = compile_if(compiled, critic_targets)
        self._critic_loss = compile_if(compiled, critic_loss)
        self._policy_loss = compile_if(compiled, policy_loss)

    def arrange(self, data: Data) -> list[Data]:
        return split_by_update(data, self._members, self._device)

    def learn(self, arranged: list[Data]) -> None:
        for batch in arranged:
            self.update(batch, self.draw(batch))

    def draw(self, batch: Data) -> tuple[Tensor, Tensor]:
        """Standard normal numbers for the actions of the critics' targets and for those of the policy's step."""
        action: Any = batch.action
        return torch.randn_like(action), torch.randn_like(action)

    def update(self, batch: Data, draws: tuple[Tensor, Tensor]) -> None:
        with torch.no_grad():
            temperature = self.log_temperature.exp()[..., None]
            targets = self._targets(
                self.policy, self.target_critic.network, batch, draws[0], temperature, self._weights
            )
        loss = self._critic_loss(self.critic, batch.obs, batch.action, targets)
        self._critic_adam.step(torch.autograd.grad(loss, self._critic_weights))
        self.target_critic.follow()
        loss, entropy = self._policy_loss(self.policy, self.critic, batch.obs, draws[1], temperature)
        self._policy_adam.step(torch.autograd.grad(loss, self._policy_weights))
        # the gradient of exp(log_temperature) * (entropy - target)
        self._temperature_adam.step([self.log_temperature.exp() * (entropy.detach() - self._target_entropy)])


def sample(policy: nn.Module, obs: Any, draws: Tensor) -> tuple[Tensor, Tensor]:
    """Actions squashed by tanh, and their log-densities."""
    mean, spread = policy(obs)
    log_std = LOWEST_LOG_STD + 0.5 * (HIGHEST_LOG_STD - LOWEST_LOG_STD) * (1 + torch.tanh(spread))
    raw = mean + log_std.exp() * draws
    normal = -0.5 * draws.square() - log_std - 0.5 * math.log(2 * math.pi)
    correction = 2 * (math.log(2) - raw - nn.functional.softplus(-2 * raw))
    return torch.tanh(raw), (normal - correction).sum(-1)


def critic_targets(
    policy: nn.Module, critic: nn.Module, batch: Data, draws: Tensor, temperature: Tensor, weights: tuple[Any, Any]
) -> Tensor:
    """`weights`: the discount and the scale of the rewards."""
    discount, reward_scale = weights
    action, log_prob = sample(policy, batch.next_obs, draws)
    value = critic(batch.next_obs, action).amin(0) - temperature * log_prob
    return reward_scale * batch.reward + discount * (1 - batch.terminated) * value


def policy_loss(
    policy: nn.Module, critic: nn.Module, obs: Any, draws: Tensor, temperature: Tensor
) -> tuple[Tensor, Tensor]:
    """And the policy's entropy, per member."""
    action, log_prob = sample(policy, obs, draws)
    return sum_of_means(temperature * log_prob - critic(obs, action).amin(0)), -log_prob.mean(-1)
