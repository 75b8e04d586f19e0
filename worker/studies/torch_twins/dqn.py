"""DQN over images, with a plain (neither double nor dueling) network."""

from typing import Any

import torch
from torch import Tensor, nn

from phylon.spec.algorithms.convolutions import CNNSpec
from phylon.spec.algorithms.dqn import DQNSpec
from phylon.worker.studies.torch_twins.layers import ConvolutionalNetwork, parameters
from phylon.worker.studies.torch_twins.optimiser import adam
from phylon.worker.studies.torch_twins.twin import Target, TwinHyperparams, compile_if, split_by_update, sum_of_means
from phylon.worker.studies.workload import BUTTONS, IMAGE, Data


class DQNTwin:
    def __init__(
        self, spec: DQNSpec, members: int | None, device: Any, compiled: bool, shape: tuple[int, ...] = IMAGE
    ) -> None:
        if spec.double or spec.dueling or not isinstance(spec.network, CNNSpec):
            raise ValueError("PyTorch's twin of DQN is plain: no double, no dueling, network: {kind: cnn}")
        self._members, self._device = members, device
        hyperparams = TwinHyperparams(spec, members, device)
        self._discount, self._delta = hyperparams.batch("discount"), hyperparams.batch("huber_delta")
        self._target_period = round(hyperparams.plain("target_period"))
        self.critic = ConvolutionalNetwork(members, spec.network, shape, BUTTONS).to(device)
        self._weights = parameters(self.critic)
        self._adam = adam(self._weights, hyperparams.all("learning_rate"), compiled=compiled)
        self.target_critic = Target(self.critic, hyperparams.all("target_rate"))
        self._targets = compile_if(compiled, critic_targets)
        self._loss = compile_if(compiled, critic_loss)
        self._updates = 0

    def arrange(self, data: Data) -> list[Data]:
        return [self._with_channels_first(batch) for batch in split_by_update(data, self._members, self._device)]

    def learn(self, arranged: list[Data]) -> None:
        for batch in arranged:
            self.update(batch)

    def update(self, batch: Data) -> None:
        with torch.no_grad():
            targets = self._targets(self.target_critic.network, batch, self._discount)
        loss = self._loss(self.critic, batch.obs, batch.action, targets, self._delta)
        self._adam.step(torch.autograd.grad(loss, self._weights))
        self._updates += 1
        if self._updates % self._target_period == 0:
            self.target_critic.follow()

    def _with_channels_first(self, batch: Data) -> Data:
        def images(field: Any) -> Any:
            if self._members is None:  # [batch, height, width, channels]
                return field.permute(0, 3, 1, 2).contiguous()
            return field.permute(1, 0, 4, 2, 3).flatten(1, 2).contiguous()

        action: Any = batch.action
        return batch._replace(obs=images(batch.obs), next_obs=images(batch.next_obs), action=action.long())


def critic_targets(target: nn.Module, batch: Data, discount: Any) -> Tensor:
    return batch.reward + discount * (1 - batch.terminated) * target(batch.next_obs).amax(-1)


def critic_loss(critic: nn.Module, obs: Any, action: Any, targets: Tensor, delta: Any) -> Tensor:
    error = critic(obs).gather(-1, action[..., None])[..., 0] - targets
    quadratic = error.abs().clamp(max=delta)
    return sum_of_means(0.5 * quadratic.square() + delta * (error.abs() - quadratic))
