"""TV.EXP3.M: which category to try next, when several are tried at once and the best one changes with time.

EXP3.M (Uchiya et al. 2010) with the sharing of weights of EXP3.S, as in Parker-Holder et al. 2021 (arXiv 2106.15883):

    shares  p = (1 - g) w' / sum w' + g / C       w' being w, with what is too heavy capped so that k p is at most 1
    draw    k categories at once by dependent rounding, category c in expectation k p[c] times
    update  w[c] <- w[c] exp(k g gain[c] / (C q[c])) + e a sum w / C        q[c] being the chance to see c at all

Two things differ from the authors' code, where members are drawn one by one. A category that a surviving member goes on
with is seen for sure, so its gain counts once (q = 1) instead of being blown up by the chance of a draw that was not
made. And where more members than categories are drawn, categories repeat as evenly as chance allows.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from phylon.spec.methods.pb2 import BanditSpec
from phylon.worker.core.types import Array, Key

LARGEST_EXPLORATION = 0.9


class Rates(NamedTuple):
    """The bandit's numbers, for `arms` categories."""

    exploration: float
    """g: the share of uniform draws, and the pace of learning."""
    sharing: float
    """a: the share of all weight that is spread evenly in a round, so that a category can come back."""


class Bandit(NamedTuple):
    """What is remembered of one categorical hyper-parameter with C categories, float32 [C]."""

    weights: Array
    """They add up to 1."""
    chance: Array
    """How likely it was that this category would be seen in the running round."""
    is_capped: Array
    """bool: too heavy to learn from in the running round, as EXP3.M has it."""


def rates(spec: BanditSpec, arms: int, plays: int, rounds: int) -> Rates:
    """As the spec says, else by the run's length: exploration as the authors have it, sharing as EXP3.S."""
    rounds = max(1, rounds)
    usual = 0.2
    if plays < arms:
        usual = min(LARGEST_EXPLORATION, np.sqrt(arms * np.log(arms / plays) / ((np.e - 1) * plays * rounds / 10)))
    return Rates(
        float(usual) if spec.exploration is None else spec.exploration,
        1 / rounds if spec.sharing is None else spec.sharing,
    )


def fresh(arms: int, plays: int) -> Bandit:
    """Before the first round, for which so many members drew uniformly."""
    seen = 1 - (1 - 1 / arms) ** plays
    return Bandit(jnp.full(arms, 1 / arms, jnp.float32), jnp.full(arms, seen, jnp.float32), jnp.zeros(arms, jnp.bool_))


def learn(bandit: Bandit, rates: Rates, plays: int, gains: Array, is_seen: Array) -> Bandit:
    """The weights after a round: `gains` float32 [C] in [0, 1], the mean of those who played; `is_seen` bool [C]."""
    arms = len(bandit.weights)
    pace = min(plays, arms) * rates.exploration / arms
    # Chances below the pace are taken for it: no single surprise multiplies a weight by more than e.
    estimate = jnp.where(is_seen & ~bandit.is_capped, gains, 0.0) / jnp.maximum(bandit.chance, pace)
    weights = bandit.weights * jnp.exp(pace * estimate)
    weights = weights + np.e * rates.sharing * jnp.sum(bandit.weights) / arms
    return bandit._replace(weights=weights / jnp.sum(weights))


def draw(key: Key, bandit: Bandit, rates: Rates, count: int, is_held: Array) -> tuple[Array, Array, Bandit]:
    """Categories int32 [count] for as many members, the expected number of each [C], and what to remember.

    `is_held`, bool [C], marks the categories that some surviving member goes on with.
    """
    arms = len(bandit.weights)
    count_key, order_key = jax.random.split(key)
    shares, is_capped = probabilities(bandit.weights, rates.exploration, count)
    expected = count * shares
    counts = rounded(count_key, expected, count)
    drawn = jnp.repeat(jnp.arange(arms, dtype=jnp.int32), counts, total_repeat_length=count)
    chance = jnp.where(is_held, 1.0, jnp.clip(expected, 1e-6, 1.0))
    return jax.random.permutation(order_key, drawn), expected, bandit._replace(chance=chance, is_capped=is_capped)


def probabilities(weights: Array, exploration: float, count: int) -> tuple[Array, Array]:
    """Shares [C] that add up to 1, none above 1 / count if there are that many, and who was capped for it."""
    arms = len(weights)
    if count >= arms:
        is_capped = jnp.zeros(arms, jnp.bool_)
    else:
        limit = cap(weights, (1 / count - exploration / arms) / (1 - exploration))
        is_capped = weights >= limit
        weights = jnp.minimum(weights, limit)
    return (1 - exploration) * weights / jnp.sum(weights) + exploration / arms, is_capped


def cap(weights: Array, largest: float) -> Array:
    """The level at which the weights are to be cut so that none is more than the share `largest` of what is left.

    Infinite if none is. With the m heaviest cut, level = largest * (m * level + the rest) has one solution; the right m
    is the first whose level leaves the next weight below it.
    """
    heaviest_first = jnp.sort(weights)[::-1]
    rest = jnp.cumsum(heaviest_first[::-1])[::-1]  # of the weights from the m-th on
    room = 1 - largest * jnp.arange(len(weights), dtype=jnp.float32)
    levels = jnp.where(room > 0, largest * rest / jnp.maximum(room, 1e-12), jnp.inf)
    first = jnp.argmax(heaviest_first < levels)
    return jnp.where(first == 0, jnp.inf, levels[first])


def rounded(key: Key, expected: Array, count: int) -> Array:
    """Whole numbers int32 [C] that add up to `count`, each in expectation what is asked: dependent rounding.

    Gandhi et al. 2006, on the fractions. The two next fractional entries, in a random order, give and take until one of
    them is whole, which is fair to both; after C - 1 such steps all are whole.
    """
    arms = len(expected)
    order_key, step_key = jax.random.split(key)
    order = jax.random.permutation(order_key, arms)
    whole = jnp.floor(expected)
    fractions = (expected - whole)[order]

    def settle(
        carry: tuple[Array, Array], step: tuple[Array, Array]
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """The open entry meets the next one; the one that becomes whole is written down, the other stays open."""
        place, mine = carry
        chance, other_place = step
        other = fractions[other_place]
        up, down = jnp.minimum(1 - mine, other), jnp.minimum(mine, 1 - other)
        is_up = chance * (up + down) < down
        mine, other = jnp.where(is_up, mine + up, mine - down), jnp.where(is_up, other - up, other + down)
        is_mine_whole = (mine < 1e-6) | (mine > 1 - 1e-6)
        closed = jnp.where(is_mine_whole, place, other_place), jnp.where(is_mine_whole, mine, other)
        return (jnp.where(is_mine_whole, other_place, place), jnp.where(is_mine_whole, other, mine)), closed

    later = jnp.arange(1, arms)
    (place, _), (places, values) = jax.lax.scan(
        settle, (jnp.zeros((), later.dtype), fractions[0]), (jax.random.uniform(step_key, (arms - 1,)), later)
    )
    chosen = jnp.zeros(arms).at[places].set(jnp.round(values))
    # The last one takes what the sum leaves: rounding errors of the additions above must not lose a draw.
    chosen = chosen.at[place].set(count - jnp.sum(whole) - jnp.sum(chosen))
    return (whole.at[order].add(chosen)).astype(jnp.int32)
