"""TD3 and DDPG: a deterministic policy, one or two critics, and targets of both."""

from typing import Any

import torch
from torch import Tensor, nn

from phylon.spec import DDPGSpec, TD3Spec
from phylon.worker.studies.torch_twins.layers import MLP, Critics, parameters
from phylon.worker.studies.torch_twins.optimiser import adam
from phylon.worker.studies.torch_twins.twin import Target, TwinHyperparams, compile_if, split_by_update, sum_of_means
from phylon.worker.studies.workload import ACTIONS, VECTOR, Data


class DeterministicTwin:
    def __init__(self, spec: TD3Spec | DDPGSpec, members: int | None, device: Any, compiled: bool) -> None:
        self._members, self._device = members, device
        hyperparams = TwinHyperparams(spec, members, device)
        is_td3 = isinstance(spec, TD3Spec)
        self._delay = round(hyperparams.plain("policy_delay")) if is_td3 else 1
        self._discount = hyperparams.batch("discount")
        noise = ("target_noise", "target_noise_clip")
        self._noise = tuple(map(hyperparams.features, noise)) if is_td3 else None
        self.policy = MLP(members, spec.network, VECTOR, [ACTIONS]).to(device)
        self.critic = Critics(members, spec.network, VECTOR + ACTIONS, spec.critics if is_td3 else 1).to(device)
        self._policy_weights, self._critic_weights = parameters(self.policy), parameters(self.critic)
        self._policy_adam = adam(self._policy_weights, hyperparams.all("policy_learning_rate"), compiled=compiled)
        self._critic_adam = adam(self._critic_weights, hyperparams.all("critic_learning_rate"), compiled=compiled)
        self.target_policy = Target(self.policy, hyperparams.all("target_rate"))
        self.target_critic = Target(self.critic, hyperparams.all("target_rate"))
        self._targets = compile_if(compiled, critic_targets)
        self._critic_loss = compile_if(compiled, critic_loss)
        self._policy_loss = compile_if(compiled, policy_loss)
        self._updates = 0

    def arrange(self, data: Data) -> list[Data]:
        return split_by_update(data, self._members, self._device)

    def learn(self, arranged: list[Data]) -> None:
        for batch in arranged:
            self.update(batch, self.draw(batch))

    def draw(self, batch: Data) -> Tensor | None:
        """Standard normal numbers for the smoothing of target actions."""
        return None if self._noise is None else torch.randn_like(batch.action)  # pyright: ignore[reportArgumentType]

    def update(self, batch: Data, draws: Tensor | None) -> None:
        with torch.no_grad():
            noise = None if self._noise is None or draws is None else (draws, *self._noise)
            targets = self._targets(
                self.target_policy.network, self.target_critic.network, batch, noise, self._discount
            )
        loss = self._critic_loss(self.critic, batch.obs, batch.action, targets)
        self._critic_adam.step(torch.autograd.grad(loss, self._critic_weights))
        self._updates += 1
        if self._updates % self._delay == 0:
            loss = self._policy_loss(self.policy, self.critic, batch.obs)
            self._policy_adam.step(torch.autograd.grad(loss, self._policy_weights))
            self.target_policy.follow()
            self.target_critic.follow()


def act(policy: nn.Module, obs: Any) -> Tensor:
    return torch.tanh(policy(obs)[0])


def critic_targets(policy: nn.Module, critic: nn.Module, batch: Data, noise: Any, discount: Any) -> Tensor:
    action = act(policy, batch.next_obs)
    if noise is not None:
        draws, scale, clip = noise
        action = (action + (scale * draws).clamp(-clip, clip)).clamp(-1, 1)
    value = critic(batch.next_obs, action).amin(0)
    return batch.reward + discount * (1 - batch.terminated) * value


def critic_loss(critic: nn.Module, obs: Any, action: Any, targets: Tensor) -> Tensor:
    return sum_of_means((critic(obs, action) - targets).square().sum(0))


def policy_loss(policy: nn.Module, critic: nn.Module, obs: Any) -> Tensor:
    return -sum_of_means(critic(obs, act(policy, obs), 1)[0])
