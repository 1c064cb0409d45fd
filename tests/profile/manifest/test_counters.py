"""The list of counters: small, sorted, and the same after it was written and read."""

from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.counters import FILE, Counter, counters, decode, encode

NAMES = st.text("abc_d.e", min_size=1, max_size=8)
COUNTERS = st.builds(
    Counter,
    st.sampled_from(["counter", "ratio", "throughput"]),
    st.sets(st.sampled_from(list(chips())), min_size=1).map(lambda has: tuple(chip for chip in chips() if chip in has)),
    st.integers(1, 40),
)


@given(st.dictionaries(NAMES, COUNTERS))
def test_what_is_written_is_read(listed):
    assert decode(encode(listed, "made of nothing\nin two lines")) == listed


def test_every_chip_has_its_thousands():
    for chip in chips():
        assert sum(chip in one.chips for one in counters().values()) > (1500 if chip == "TU104" else 2800)


def test_the_file_is_small_and_in_order():
    assert FILE.stat().st_size < 60_000
    assert list(counters()) == sorted(counters())


def test_a_counter_has_kind_chips_and_cost():
    assert counters()["dram__bytes"] == Counter("counter", tuple(chips()), 1)
    assert counters()["sm__mem_tensor_reads"].chips == ("GB100", "GB110")
    assert counters()["sm__throughput"].kind == "throughput" and counters()["sm__throughput"].passes > 1
