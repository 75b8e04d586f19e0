"""Numbers as people write them: `250k` steps, `1e-3`, `2h`, `8GiB`.

YAML 1.1 reads none of these as a number, not even `1e-3`. Each function returns a number, or its input unchanged where
it cannot be read, so that the field's own check reports what was written.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

COUNTS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
DURATIONS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
SIZES = {
    "": 1,
    "B": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGT", 1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", 1)},
}

_NUMBER = re.compile(r"([+-]?(?:\d[\d_]*)(?:\.[\d_]*)?(?:[eE][+-]?\d{1,2})?|[+-]?\.\d+(?:[eE][+-]?\d{1,2})?)\s*(\w*)")
LONGEST = 60
"""Characters; a longer text is no number that anybody meant."""


def read_count(value: Any) -> Any:
    """A whole number: `1_000_000`, `1M`, `250k`, `1e6`, `2.5k`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    exact = _read(value, COUNTS)
    return value if exact is None or exact != exact.to_integral_value() else int(exact)


def read_number(value: Any) -> Any:
    """A real number: `1e-3`, `0.5`, `250k`."""
    exact = _read(value, COUNTS)
    return value if exact is None else float(exact)


def read_duration(value: Any) -> Any:
    """Seconds: `90s`, `30m`, `2h`, `1d`, or a plain number of seconds."""
    exact = _read(value, {"": 1, **DURATIONS})
    return value if exact is None else float(exact)


def is_duration(value: Any) -> bool:
    """Whether it can mean nothing but a time: `90s`, not `90`."""
    return isinstance(value, str) and _read(value, DURATIONS) is not None


def read_size(value: Any) -> Any:
    """Bytes: `8GiB`, `500MB`, or a plain number of bytes."""
    exact = _read(value, SIZES)
    return value if exact is None or exact != exact.to_integral_value() else int(exact)


def _read(value: Any, units: Mapping[str, int]) -> Decimal | None:
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    match = _NUMBER.fullmatch(value.strip())
    if match is None or match[2] not in units:
        return None
    return Decimal(match[1].replace("_", "")) * units[match[2]]
