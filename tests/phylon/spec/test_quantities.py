"""Numbers as people write them; what cannot be read is returned as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phylon.spec.quantities import read_count, read_duration, read_number, read_size


@pytest.mark.parametrize(
    ("read", "written", "meant"),
    [
        (read_count, "1M", 1_000_000),
        (read_count, "250k", 250_000),
        (read_count, "1_000_000", 1_000_000),
        (read_count, "1e6", 1_000_000),
        (read_count, "2.5k", 2500),
        (read_count, "1B", 10**9),
        (read_count, 1e6, 1_000_000),
        (read_count, 7, 7),
        (read_number, "1e-3", 0.001),
        (read_number, "3E-5", 3e-5),
        (read_number, ".5", 0.5),
        (read_number, "250k", 250_000.0),
        (read_duration, "2h", 7200.0),
        (read_duration, "30m", 1800.0),
        (read_duration, "90s", 90.0),
        (read_duration, "1d", 86400.0),
        (read_duration, "1.5h", 5400.0),
        (read_duration, 5, 5),
        (read_size, "8GiB", 8 * 2**30),
        (read_size, "500MB", 500_000_000),
        (read_size, "1.5KiB", 1536),
    ],
)
def test_what_people_write(read, written, meant):
    assert read(written) == meant
    assert type(read(written)) is type(meant)


@pytest.mark.parametrize(
    "text", ["", "k", "1k5", "0x10", "1e", "one", "1,5", "--3", "9" * 100, "1e999", "inf", "nan", "1 k k"]
)
def test_what_is_no_number_is_left_alone(text: str):
    assert all(read(text) == text for read in (read_count, read_number, read_duration, read_size))


@pytest.mark.parametrize("value", [None, True, [1], {"a": 1}, 2.5, "2.5", "1e-3"])
def test_what_is_no_count_is_left_alone(value):
    assert read_count(value) == value and type(read_count(value)) is type(value)


@given(st.integers(-(10**12), 10**12))
def test_every_whole_number_is_read_as_itself(number: int):
    assert read_count(str(number)) == read_count(f"{number:_}") == number


@given(st.floats(1e-90, 1e90))
def test_every_number_is_read_as_itself(number: float):
    assert read_number(repr(number)) == number
