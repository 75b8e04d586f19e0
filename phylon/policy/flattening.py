"""Composite observations as vectors, by the parts that a catalogue entry or a policy's card lists.

Parts are laid end to end in their order: numbers as float32, images as shares of 255, each choice as a one-hot row.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phylon.policy.parts import Part

Vectors = NDArray[np.float32]


def flatten_one(parts: Sequence[Part], observation: Any) -> Vectors:
    """An observation in the environment's own structure -> [size]."""
    values = [_find(observation, part)[None] for part in parts]
    return _join(parts, values)[0]


def flatten_batch(parts: Sequence[Part], observations: Any) -> Vectors:
    """The same structure with a leading axis on every array -> [n, size]."""
    return _join(parts, [_find(observations, part) for part in parts])


def is_batch(parts: Sequence[Part], observation: Any) -> bool:
    """Whether the arrays have a leading axis."""
    return all(_find(observation, part).ndim == len(part.shape) + 1 for part in parts)


def _find(observation: Any, part: Part) -> NDArray[Any]:
    for key in part.path:
        try:
            observation = observation[key]
        except (KeyError, IndexError, TypeError):
            raise ValueError(f"the observation has no part {'.'.join(map(str, part.path))}") from None
    return np.asarray(observation)


def _join(parts: Sequence[Part], values: Sequence[NDArray[Any]]) -> Vectors:
    return np.concatenate([_vectors(part, value) for part, value in zip(parts, values, strict=True)], axis=1)


def _vectors(part: Part, values: NDArray[Any]) -> Vectors:
    """[n, *shape] -> [n, size]."""
    if values.shape[1:] != part.shape:
        raise ValueError(f"{part.describe()} was expected, and an array of shape {values.shape[1:]} came")
    flat = values.reshape(len(values), -1)
    if part.kind == "discrete":
        return _one_hot(part, flat)
    numbers = flat.astype(np.float32)
    return numbers / np.float32(255) if part.is_image else numbers


def _one_hot(part: Part, choices: NDArray[Any]) -> Vectors:
    indices, counts = choices.astype(np.int64) - np.array(part.starts), np.array(part.counts)
    if np.any((indices < 0) | (indices >= counts)):
        raise ValueError(f"{part.describe()} was expected, and {choices.ravel().tolist()[:10]} came")
    vectors = np.zeros((len(choices), int(counts.sum())), np.float32)
    offsets = np.cumsum(counts) - counts
    np.put_along_axis(vectors, indices + offsets, 1.0, axis=1)
    return vectors
