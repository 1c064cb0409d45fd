"""Units as people write them."""

import pytest

from perfproof.triage.intake import quantities


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("200 ms", 0.2),
        ("200ms", 0.2),
        ("1.5 s", 1.5),
        ("7 µs", 7e-6),
        ("2 h", 7200),
        ("1,500 ms", 1.5),
        ("1,500,000.5 us", 1.5000005),
    ],
)
def test_times(text, value):
    assert quantities.seconds(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "value"), [("141 GB", 141e9), ("80 GiB", 80 * 2**30), ("1_000 kB", 1e6), ("5e3 B", 5e3)]
)
def test_sizes_are_decimal_unless_they_say_binary(text, value):
    assert quantities.size(text) == pytest.approx(value)


@pytest.mark.parametrize(("text", "value"), [("1.5 GB/s", 1.5e9), ("400 Gbit/s", 50e9), ("3.35 TB/s", 3.35e12)])
def test_bandwidths(text, value):
    assert quantities.bandwidth(text) == pytest.approx(value)


@pytest.mark.parametrize(("text", "value"), [("3000 tokens/s", (3000, "tokens")), ("2.5 request/s", (2.5, "requests"))])
def test_throughputs_say_of_what(text, value):
    assert quantities.throughput(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "ms", "fast", "200", "200 parsecs", "-5 ms", "1.2.3 s", "0,5 s", "1,5 s", "0,500 s", "1,5000 s", "1,500,5 s"],
)
def test_what_is_no_time_is_none(text):
    assert quantities.seconds(text) is None


def test_one_kind_is_not_taken_for_another():
    assert quantities.size("200 ms") is None
    assert quantities.bandwidth("141 GB") is None
    assert quantities.throughput("1.5 GB/s") is None
