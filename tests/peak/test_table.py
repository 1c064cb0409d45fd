"""Units and the table as people read them."""

import pytest

from perfproof.peak.table import note, quantity, render, spread


@pytest.mark.parametrize(
    "value, unit, text",
    [
        (4.27e12, "bytes/s", "4.27 TB/s"),
        (12.5e9, "bytes/s", "12.5 GB/s"),
        (668e12, "flop/s", "668 TFLOP/s"),
        (1.9789e15, "op/s", "1.98 POP/s"),
        (999.9e9, "bytes/s", "1.00 TB/s"),
        (12.0, "bytes/s", "12.0 B/s"),
        (5.3e-6, "s", "5.30 µs"),
    ],
)
def test_values_have_decimal_prefixes(value, unit, text):
    assert quantity(value, unit) == text


def test_the_spread_is_in_per_cent_of_the_median(ceiling):
    assert spread(ceiling(value=100.0, low=90.0, high=105.0)) == "-10.0 +5.0 %"


def test_a_note_explains_by_clock_and_power(ceiling):
    context = {"sm_mhz": 1455.0, "watts": 698.0, "held_back_by": {"software power cap": 0.9, "sync boost": 0.1}}
    said = note(ceiling("gemm/bf16/sustained", sizes={"n": 8192}, context=context, finding="odd"))
    assert said == "odd, 1455 MHz, 698 W, held back by software power cap, n = 8192"


def test_the_table_has_every_ceiling_and_every_reason(ceilings):
    found = ceilings("memory/copy", "disk/direct", not_measured={"gemm/fp8/*": "no GPU " * 30})
    found.ceilings[0].sheet = 4.8e12
    text = render(found)
    assert "memory/copy" in text and "89.6 %" in text and "gemm/fp8/*: no GPU" in text
    assert max(map(len, text.splitlines())) <= 100
