"""A trained policy on its own: a folder, or one zip file, that acts with NumPy alone.

policy.json             the card: what the policy sees and does, its network, where it comes from
weights.safetensors     its weights
policy.onnx             the same policy for ONNX runtimes, where it was asked for
policy.stablehlo        the same for JAX without our code, where it was asked for

`Policy.load` needs NumPy and nothing else: no JAX, no PyTorch, no Gymnasium, not even the rest of Phylon's own
dependencies. Names are loaded when first used, because descriptions of algorithms import `network` and `layers`.
"""

from typing import TYPE_CHECKING

from phylon.lazy_names import load_lazily

if TYPE_CHECKING:
    from phylon.policy.policy import Policy, PolicyInvalid

__all__ = ["Policy", "PolicyInvalid"]

__getattr__ = load_lazily(__name__, {"policy": ("Policy", "PolicyInvalid")})
