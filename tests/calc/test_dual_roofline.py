"""What binds the tensor cores: the rule with its numbers, at its edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.calc.dual_roofline import (
    BOUND,
    LEAD,
    UNDETERMINED,
    binding,
    feed_of,
    hopper_feed,
    judge,
    shared_memory_bytes_s,
)
from perfproof.core.roofline import Kernel, Limit, Roof

SHARED = Roof(name="shared memory", kind="memory", value=30e12, unit="bytes/s", basis="measured", source="shared/read")


def test_the_numbers_of_the_rule():
    assert (BOUND, LEAD) == (0.60, 0.10)


@pytest.mark.parametrize(
    ("compute", "feed", "dram", "expected"),
    [
        (0.84, 0.53, 0.14, "SM compute"),
        (0.39, 0.78, 0.16, "TMEM"),
        (0.10, 0.20, 0.85, "DRAM"),
        (0.60, 0.50, 0.10, "SM compute"),  # exactly at both limits
        (0.59, 0.10, 0.10, UNDETERMINED),  # nothing is at 60 %
        (0.75, 0.66, 0.10, UNDETERMINED),  # 9 points are no lead
        (0.75, 0.20, 0.70, UNDETERMINED),
        (1.20, 0.20, 0.10, UNDETERMINED),  # impossible
    ],
)
def test_the_resource_that_leads_binds(compute, feed, dram, expected):
    assert binding({"SM compute": compute, "TMEM": feed, "DRAM": dram}).resource == expected


def test_the_reason_has_the_numbers():
    assert binding({"SM compute": 0.84, "TMEM": 0.53}).why == "SM compute at 84 % leads TMEM at 53 %"
    assert binding({"SM compute": 0.75, "TMEM": 0.66}).why == "SM compute at 75 % and TMEM at 66 %: neither leads"
    assert "latency" in binding({"SM compute": 0.3, "TMEM": 0.1}).why
    assert "counting error" in binding({"SM compute": 1.3, "TMEM": 0.1}).why
    assert binding({"DRAM": 0.9}).resource == UNDETERMINED


@given(st.dictionaries(st.sampled_from(["SM compute", "TMEM", "DRAM"]), st.floats(0, 1.05), min_size=2))
def test_a_binding_resource_always_leads(shares):
    found = binding(shares)
    if found.resource != UNDETERMINED:
        rest = [share for name, share in shares.items() if name != found.resource]
        assert shares[found.resource] >= BOUND and shares[found.resource] - max(rest) >= LEAD - 1e-6


def test_each_architecture_has_its_feed():
    assert feed_of("9.0") == "shared-memory feed" and feed_of("10.0") == feed_of("10.3") == "TMEM"
    assert feed_of("8.0") is None and feed_of("12.0") is None and feed_of("") is None


def a_kernel(**fields):
    values = {"name": "k", "label": "k", "source": "metadata", "capability": "9.0", "seconds": 1e-3}
    return Kernel(**values | fields)


def test_without_counters_shares_come_from_achieved_over_roof():
    feed = hopper_feed([SHARED], None, None)
    limits = [Limit(roof="bf16", share=0.45), Limit(roof="DRAM", share=0.2)]
    found = judge(a_kernel(feed_bytes=24e9, work={"bf16": 1e12}, limits=limits), [feed])
    assert found.shares == pytest.approx({"SM compute": 0.45, "shared-memory feed": 0.8, "DRAM": 0.2})
    assert found.binding == "shared-memory feed"


def test_a_counter_of_the_resource_comes_before_the_roof():
    used = {"SM compute": 0.7, "shared-memory feed": 0.2}
    found = judge(a_kernel(used=used, work={"bf16": 1e12}, limits=[Limit(roof="bf16", share=0.9)]), [])
    assert found.shares["SM compute"] == 0.7


def test_a_kernel_whose_feed_is_not_known_has_no_verdict():
    assert judge(a_kernel(used={"SM compute": 0.7}), []).binding == ""
    assert judge(a_kernel(used={"SM compute": 0.7, "TMEM": 0.1}, capability="8.0"), []).binding == ""


def test_the_roof_of_the_feed_is_measured_or_derived_and_says_so():
    assert hopper_feed([SHARED], 132, 1.98e9).basis == "measured"
    derived = hopper_feed([], 132, 1.98e9)
    assert derived.basis == "derived" and derived.value == pytest.approx(128 * 132 * 1.98e9)
    assert derived.source == "128 bytes/clock x 132 SMs x 1.98 GHz"
    assert hopper_feed([], None, 1.98e9) is None


def test_shared_memory_delivers_128_bytes_a_cycle_and_sm():
    assert shared_memory_bytes_s(132 * 1.7e9 * 1e-3, 1e-3) == pytest.approx(128 * 132 * 1.7e9)
