"""What can be said about a network."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.spec.distributions import Model

Activation = Literal["relu", "elu", "tanh"]
Width = Annotated[int, Field(ge=1, le=8192)]


class MLPSpec(Model):
    """A multi-layer perceptron, used for policy and critics alike."""

    kind: Literal["mlp"] = "mlp"
    hidden: Annotated[tuple[Width, ...], Field(min_length=1, max_length=8)] = (256, 256)
    activation: Activation = "relu"
