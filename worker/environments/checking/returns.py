"""What one environment of Gymnasium returns, beside what its spaces promise."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from phylon.worker.environments.checking.finding import Finding

STEPS = 500
SUBJECT = "what it returns"


def check_returns(environment: gymnasium.Env[Any, Any]) -> Iterator[Finding]:
    """Each kind of mistake once, at the first step where it is made."""
    seen: set[str] = set()
    for number, finding in _walk(environment):
        if finding.message.partition(",")[0] not in seen:
            seen.add(finding.message.partition(",")[0])
            yield finding._replace(message=f"{finding.message} (step {number})")
    if not seen:
        yield Finding(SUBJECT, "ok", f"observations, rewards and ends of {STEPS} random steps are as its spaces say")


def _walk(environment: gymnasium.Env[Any, Any]) -> Iterator[tuple[int, Finding]]:
    environment.action_space.seed(0)
    answer: Any = environment.reset(seed=0)
    if not isinstance(answer, tuple) or len(answer) != 2:
        yield 0, _wrong("reset returns no pair", "return (observation, info) from reset")
        return
    yield from ((0, found) for found in _observed(environment.observation_space, answer[0], ()))
    for number in range(1, STEPS + 1):
        answer = environment.step(environment.action_space.sample())
        if not isinstance(answer, tuple) or len(answer) != 5:
            yield (
                number,
                _wrong(
                    "step does not return five things", "return observation, reward, terminated, truncated and info"
                ),
            )
            return
        obs, reward, terminated, truncated, _ = answer
        yield from ((number, found) for found in _observed(environment.observation_space, obs, ()))
        yield from ((number, found) for found in _rewarded(reward))
        for name, value in (("terminated", terminated), ("truncated", truncated)):
            if not isinstance(value, bool | np.bool_):
                yield number, _wrong(f"{name} is of type {type(value).__name__}", f"return a bool as {name}")
        if terminated or truncated:
            obs, _ = environment.reset()
            yield from ((number, found) for found in _observed(environment.observation_space, obs, ()))


def _rewarded(reward: Any) -> Iterator[Finding]:
    if np.ndim(reward) != 0:
        yield _wrong(f"the reward is an array of shape {np.shape(reward)}", "return a single number as the reward")
    elif not np.isfinite(float(reward)):
        yield _wrong(f"the reward is {reward}", "return finite rewards: one that is not makes a member diverge")


def _observed(space: gymnasium.Space[Any], value: Any, path: tuple[Any, ...]) -> Iterator[Finding]:
    """Down to the part that is wrong."""
    name = f"observation{''.join(f'[{key!r}]' for key in path)}"
    match space:
        case spaces.Dict():
            keys = set(value) if isinstance(value, dict) else set[Any]()
            if keys != set(space.spaces):
                yield _wrong(f"{name} has the keys {sorted(keys)}, not {sorted(space.spaces)}", "return all of them")
                return
            for key, inner in space.spaces.items():
                yield from _observed(inner, value[key], (*path, key))
        case spaces.Tuple():
            if not isinstance(value, tuple) or len(value) != len(space.spaces):
                yield _wrong(f"{name} is no tuple of {len(space.spaces)}", "return as many parts as its space has")
                return
            for place, inner in enumerate(space.spaces):
                yield from _observed(inner, value[place], (*path, place))
        case spaces.Box():
            yield from _boxed(space, np.asarray(value), name)
        case _:
            if not space.contains(value):
                yield _wrong(f"{name} is {value!r}, which is not in {space}", "return a value of its space")


def _boxed(space: spaces.Box, value: Any, name: str) -> Iterator[Finding]:
    if value.shape != space.shape:
        yield _wrong(f"{name} has the shape {value.shape}, not {space.shape}", "correct observation_space or the array")
        return
    if not np.can_cast(value.dtype, space.dtype):
        yield _wrong(
            f"{name} is of type {value.dtype}, not {space.dtype}",
            f"return it as {space.dtype}",
        )
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        yield _wrong(f"{name} is not finite", "return finite observations: others make a member diverge")
    elif np.any(value < space.low) or np.any(value > space.high):
        low, high = float(np.min(value)), float(np.max(value))
        yield _wrong(
            f"{name} leaves its bounds, with values from {low:g} to {high:g}", "widen observation_space, or clip it"
        )


def _wrong(message: str, remedy: str) -> Finding:
    return Finding(SUBJECT, "wrong", message, remedy)
