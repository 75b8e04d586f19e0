"""What can be said about a network."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field

from phylon.spec.distributions import Model

Activation = Literal["relu", "elu", "tanh", "gelu", "silu"]
Init = Literal["uniform", "orthogonal", "fan_in"]
LayerNorm = Literal["none", "first", "all"]
Width = Annotated[int, Field(strict=True, ge=1, le=8192)]

AnyNetwork = TypeVar("AnyNetwork", bound=Model)


class MLPSpec(Model):
    """A multi-layer perceptron, used for policy and critics alike."""

    kind: Literal["mlp"] = "mlp"
    hidden: Annotated[tuple[Width, ...], Field(min_length=1, max_length=8)] = (256, 256)
    activation: Activation = "relu"
    layer_norm: LayerNorm = "none"
    """`first`: after the first layer alone, which is then squashed by tanh, as in Acme and fastpbrl.
    `all`: before each activation."""
    init: Init = "uniform"
    """How weights start; unless said, as in the algorithm's own code. `uniform`: in ±1/sqrt(fan-in), biases too, as in
    PyTorch. `orthogonal`: with gain sqrt(2), as in jaxrl. `fan_in`: uniform with variance 1/fan-in, as in fastpbrl."""


def own(**defaults: Any) -> AfterValidator:
    """What an algorithm's own code has for a network, wherever a spec leaves it unsaid and the kind of network has it.

    A plain default of the algorithm's `network` would be lost as soon as a spec says anything of the network.
    """

    def fill_in(network: AnyNetwork) -> AnyNetwork:
        unsaid = type(network).model_fields.keys() - network.model_fields_set
        return network.model_copy(update={name: value for name, value in defaults.items() if name in unsaid})

    return AfterValidator(fill_in)
