"""What can be said about a network that looks at images, or at whatever an environment shows."""

from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Discriminator, Field, model_validator
from pydantic_core import PydanticCustomError

from phylon.spec.algorithms.networks import Init, MLPSpec, Width
from phylon.spec.distributions import Model

Pixels = Annotated[int, Field(strict=True, ge=1, le=64)]
Hidden = Annotated[tuple[Width, ...], Field(min_length=1, max_length=8)]


class CNNSpec(Model):
    """Convolutions without padding, then dense layers, all with ReLU. Defaults are those of DQN (Mnih et al. 2015)."""

    kind: Literal["cnn"]
    channels: Annotated[tuple[Width, ...], Field(min_length=1, max_length=8)] = (32, 64, 64)
    kernels: tuple[Pixels, ...] = (8, 4, 3)
    """Side of each layer's square window."""
    strides: tuple[Pixels, ...] = (4, 2, 1)
    hidden: Hidden = (512,)
    init: Init = "uniform"
    """How weights start, as in an MLP; unless said, as in the algorithm's own code."""

    @model_validator(mode="after")
    def _layers_agree(self) -> "CNNSpec":
        layers = {"channels": len(self.channels), "kernels": len(self.kernels), "strides": len(self.strides)}
        if len(set(layers.values())) > 1:
            raise PydanticCustomError(
                "layers_differ",
                "channels, kernels and strides describe {counts} layers",
                {
                    "counts": ", ".join(str(count) for count in layers.values()),
                    "remedy": "give each of the three as many numbers as there are convolutions",
                },
            )
        return self

    def sides(self, side: int) -> list[int]:
        """Of a square image, after each layer. Without padding a small one vanishes: its side falls below 1."""
        sides: list[int] = []
        for kernel, stride in zip(self.kernels, self.strides, strict=True):
            side = (side - kernel) // stride + 1
            sides.append(side)
        return sides


def small_convolutions(side: int) -> dict[str, Any]:
    """For images that vanish in DQN's: the network of MinAtar's authors (Young & Tian 2019)."""
    return {"channels": [16], "kernels": [min(3, side)], "strides": [1], "hidden": [128]}


class ImpalaSpec(Model):
    """The residual network of IMPALA (Espeholt et al. 2018) and of the Procgen benchmark, without its memory."""

    kind: Literal["impala"]
    channels: Annotated[tuple[Width, ...], Field(min_length=1, max_length=5)] = (16, 32, 32)
    """One stage each, which halves the image's sides."""
    hidden: Hidden = (256,)


def _with_kind(value: Any) -> Any:
    """A network that does not say its kind is an MLP."""
    return {"kind": "mlp", **cast(dict[str, Any], value)} if isinstance(value, dict) else value


NetworkSpec = Annotated[MLPSpec | CNNSpec | ImpalaSpec, Discriminator("kind"), BeforeValidator(_with_kind)]
"""For algorithms that learn from images as well as from vectors."""
