"""How many members truncation replaces and copies from, beside Ray Tune's rule."""

import math

import pytest

from phylon.spec import selection
from phylon.spec.selection import TruncationSelection, donors, members_of_share, replaced_members

SIZES, SHARES = range(2, 41), (0.1, 0.2, 0.25, 0.3, 0.4, 0.5)


def ray(size: int, quantile: float) -> int:
    """`_quantiles` of ray/tune/schedulers/pbt.py, in words: rounded up; if that is above half, half rounded down."""
    count = math.ceil(round(size * quantile, 6))
    return math.floor(size / 2) if count > size / 2 else count


def check_rounding() -> None:
    for size in SIZES:
        for share in SHARES:
            rule = TruncationSelection(name="truncation", bottom=share, top=share)
            assert selection.replaced_members(size, rule) == ray(size, share), (size, share)


def test_it_is_rays_quantile():
    check_rounding()


def test_rounding_down_is_found_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(selection, "replaced_members", lambda size, rule: int(size * rule.bottom + 1e-9))
    with pytest.raises(AssertionError):
        check_rounding()


CASES = [
    (80, 0.4, 0.6, (32, 48)),
    (4, 0.4, 0.6, (2, 2)),
    (6, 0.25, 0.25, (2, 2)),
    (9, 0.5, 0.5, (4, 5)),
    (20, 0.25, 0.25, (5, 5)),
    (5, 0.1, 0.9, (1, 4)),
]


@pytest.mark.parametrize(("size", "bottom", "top", "expected"), CASES)
def test_by_hand(size: int, bottom: float, top: float, expected: tuple[int, int]):
    rule = TruncationSelection(name="truncation", bottom=bottom, top=top)
    assert (replaced_members(size, rule), donors(size, rule)) == expected


def test_nobody_is_copied_from_and_replaced_at_once():
    for size in SIZES:
        for bottom in SHARES:
            rule = TruncationSelection(name="truncation", bottom=bottom, top=1 - bottom)
            assert replaced_members(size, rule) >= 1 and donors(size, rule) >= 1
            assert replaced_members(size, rule) + donors(size, rule) <= size


def test_a_share_is_read_as_written_in_decimals():
    assert members_of_share(10, 0.3) == 3
    assert members_of_share(100, 0.29) == 29
