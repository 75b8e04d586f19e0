"""Names of a policy's files."""

FORMAT = "phylon-policy/1"
CARD_FILE, WEIGHTS_FILE = "policy.json", "weights.safetensors"
ONNX_FILE, STABLEHLO_FILE = "policy.onnx", "policy.stablehlo"
ARCHIVE = "policy.zip"
"""All of them in one file: what a trainer leaves at the end of a run, and what the service stores."""
