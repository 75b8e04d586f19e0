"""The networks of the engine as steps: what `phylon.worker.networks` computes, without JAX.

An algorithm's description names one of `POLICIES` here, or a plug-in's own function of the same form; a test holds
every one against the trainer's own actions. Names of weights are those of the trainer's state.
"""

from typing import TYPE_CHECKING, Any

from phylon.policy.network import CHOSEN, OBSERVATION, Distribution, PolicyNetwork, Sketch, Spaces, ranges_between

if TYPE_CHECKING:
    from phylon.spec.algorithms.convolutions import NetworkSpec
    from phylon.spec.algorithms.networks import MLPSpec

LAYER_NORM_EPSILON = 1e-5
SMALLEST_VARIANCE = 1e-8
LOWEST_LOG_STD, HIGHEST_LOG_STD = -10.0, 2.0
IMPALA_BLOCKS = 2
"""As in the engine."""


def deterministic_policy(spec: Any, spaces: Spaces) -> PolicyNetwork:
    """TD3 and DDPG: a perceptron, squashed by tanh."""
    del spaces
    sketch = Sketch()
    heads = _perceptron(sketch, _observation(sketch, spec), spec.network, "policy/params", ["output"])
    return _finished(sketch, {"mean": heads["output"]}, "point", squash=True)


def squashed_normal_policy(spec: Any, spaces: Spaces) -> PolicyNetwork:
    """SAC: mean and deviation are two heads of a perceptron; draws are squashed by tanh."""
    del spaces
    sketch = Sketch()
    names = ["output_mean", "output_log_std"]
    heads = _perceptron(sketch, _observation(sketch, spec), spec.network, "policy/params", names)
    log_std = sketch.add("between", heads["output_log_std"], low=LOWEST_LOG_STD, high=HIGHEST_LOG_STD)
    return _finished(sketch, {"mean": heads["output_mean"], "log_std": log_std}, "normal", squash=True)


def proximal_policy(spec: Any, spaces: Spaces) -> PolicyNetwork:
    """PPO and DrAC: categorical, or normal with a deviation that no observation changes, cut off at the bounds."""
    sketch = Sketch()
    place = f"params/{'shared' if spec.torsos == 'shared' else 'policy'}"
    features = _torso(sketch, _observation(sketch, spec), spec, spaces, f"{place}/torso")
    layers = _layers_of(spec.network)
    head = _perceptron(sketch, features, layers, f"{place}/layers/params", ["output_policy"])["output_policy"]
    if spaces.is_discrete:
        return _finished(sketch, {"logits": head}, "categorical")
    if spaces.action_counts:
        return _finished(sketch, {"logits": head}, "factored")._replace(counts=spaces.action_counts)
    log_std = sketch.add("everywhere", head, weights={"value": "params/output_log_std"})
    return _finished(sketch, {"mean": head, "log_std": log_std}, "normal")


def action_value_policy(spec: Any, spaces: Spaces) -> PolicyNetwork:
    """DQN: the action of the highest value."""
    sketch = Sketch()
    features = _torso(sketch, _observation(sketch, spec), spec, spaces, "critic/torso")
    layers = _layers_of(spec.network)
    if not spec.dueling:
        values = _perceptron(sketch, features, layers, "critic/layers/params", ["output"])["output"]
    else:
        value = _perceptron(sketch, features, layers, "critic/value/params", ["output"])["output"]
        advantages = _perceptron(sketch, features, layers, "critic/advantage/params", ["output"])["output"]
        values = sketch.add("dueling", value, advantages)
    return _finished(sketch, {"logits": values}, "greedy")


def _finished(
    sketch: Sketch, outputs: dict[str, str], distribution: Distribution, squash: bool = False
) -> PolicyNetwork:
    """`with_native_actions` appends how actions become the environment's own."""
    finish = Sketch()
    if squash:
        finish.add("tanh", CHOSEN)
    return PolicyNetwork(tuple(sketch.steps), outputs, distribution, tuple(finish.steps))


def _observation(sketch: Sketch, spec: Any) -> str:
    """What the networks see: observations as they are, or on the scale of the member's statistics."""
    from phylon.spec.algorithms.observations import observations_of

    observations = observations_of(spec)
    if not observations.normalise:
        return OBSERVATION
    statistics = {"mean": "observations/mean", "variance": "observations/variance"}
    return sketch.add(
        "normalise",
        OBSERVATION,
        weights=statistics,
        smallest_variance=SMALLEST_VARIANCE,
        clip=observations.clip,
    )


def _torso(sketch: Sketch, values: str, spec: Any, spaces: Spaces, place: str) -> str:
    """Features of the observation: of an image, or of each one among the numbers of a vector, which follow them."""
    if not spaces.images:
        return _one_torso(sketch, values, spec, spaces, f"{place}/params")
    (size,) = spaces.observation_shape
    features: list[str] = []
    for number, image in enumerate(spaces.images):
        pixels = sketch.add("part", values, start=image.start, stop=image.stop, shape=list(image.shape))
        features.append(_one_torso(sketch, pixels, spec, spaces, f"{place}/image_{number}/params"))
    for start, stop in ranges_between(spaces.images, size):
        features.append(sketch.add("part", values, start=start, stop=stop, shape=[stop - start]))
    return sketch.add("join", *features)


def _one_torso(sketch: Sketch, values: str, spec: Any, spaces: Spaces, place: str) -> str:
    if spaces.observation_dtype == "uint8" and values == OBSERVATION:
        values = sketch.add("bytes_to_floats", values)
    network = spec.network
    match network.kind:
        case "cnn":
            for number, stride in enumerate(network.strides):
                values = _convolution(sketch, values, f"{place}/convolution_{number}", stride=stride, margin=0)
                values = sketch.add("relu", values)
            return sketch.add("flatten", values)
        case "impala":
            return _impala(sketch, values, len(network.channels), place)
        case _:
            return values


def _impala(sketch: Sketch, values: str, stages: int, place: str) -> str:
    for stage in range(stages):
        values = _convolution(sketch, values, f"{place}/stage_{stage}", stride=1, margin=1)
        values = sketch.add("max_pool", values)
        for block in range(IMPALA_BLOCKS):
            name, change = f"{place}/stage_{stage}_block_{block}", values
            for half in ("first", "second"):
                change = sketch.add("relu", change)
                change = _convolution(sketch, change, f"{name}_{half}", stride=1, margin=1)
            values = sketch.add("add", values, change)
    return sketch.add("flatten", sketch.add("relu", values))


def _convolution(sketch: Sketch, values: str, place: str, stride: int, margin: int) -> str:
    return sketch.add("convolution", values, weights=_linear(place), stride=stride, margin=margin)


def _layers_of(network: "NetworkSpec") -> "MLPSpec":
    """The dense layers above the torso."""
    from phylon.spec.algorithms.networks import MLPSpec

    return network if isinstance(network, MLPSpec) else MLPSpec(hidden=network.hidden)


def _perceptron(sketch: Sketch, values: str, spec: "MLPSpec", place: str, heads: list[str]) -> dict[str, str]:
    for number in range(len(spec.hidden)):
        values = sketch.add("dense", values, weights=_linear(f"{place}/hidden_{number}"))
        is_normalised = spec.layer_norm == "all" or (spec.layer_norm == "first" and number == 0)
        if is_normalised:
            norm = f"{place}/norm_{number}"
            weights = {"scale": f"{norm}/scale", "bias": f"{norm}/bias"}
            values = sketch.add("layer_norm", values, weights=weights, epsilon=LAYER_NORM_EPSILON)
        values = sketch.add("tanh" if is_normalised and spec.layer_norm == "first" else spec.activation, values)
    return {head: sketch.add("dense", values, weights=_linear(f"{place}/{head}")) for head in heads}


def _linear(place: str) -> dict[str, str]:
    return {"kernel": f"{place}/kernel", "bias": f"{place}/bias"}
