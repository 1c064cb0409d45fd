import xml.etree.ElementTree as ElementTree

from perfproof.peak.picture import bars, label, svg


def test_the_bars_are_bandwidths_from_the_smallest_cache_to_memory(ceilings):
    found = ceilings(
        "memory/copy", "cache/1MiB", "cache/32KiB", "memory/copy/threads-1", "gemm/fp32/burst", "disk/direct"
    )
    found.ceilings[1].sizes["working_set_bytes"] = 2**20
    found.ceilings[2].sizes["working_set_bytes"] = 2**15
    assert [one.name for one in bars(found)] == ["cache/32KiB", "cache/1MiB", "memory/copy"]


def test_a_label_says_working_set_and_threads(ceiling):
    one = ceiling(sizes={"working_set_bytes": 2**30}, context={"threads": 2})
    assert label(one) == "memory/copy (1.00 GiB, threads: 2)"


def test_the_picture_is_an_svg_even_of_nothing(ceilings):
    for found in (ceilings("memory/copy", "cache/1MiB"), ceilings()):
        assert ElementTree.fromstring(svg(found)).tag.endswith("svg")
