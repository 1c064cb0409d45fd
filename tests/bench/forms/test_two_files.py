"""Two pair files as one pair: what has to agree, and which function becomes which side."""

import pytest

from perfproof.bench.forms.two_files import choose_variant, join
from perfproof.core.errors import UsageError
from perfproof.pairs.contract import read_pair
from perfproof.worker.load import Source
from tests.pairs.full_pair import TEXT

TILED = "\n\ndef optimized_tiled(a, b, c):\n    return torch.addcmul(c, b, a)\n"


@pytest.fixture
def pair(tmp_path):
    def write(name, text=TEXT):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        return read_pair(path, name, "tests")

    return write


def test_the_sides_are_the_variants_of_the_two_files(pair):
    a, b = pair("a"), pair("b", TEXT + TILED)
    joined = join(a, "optimized", b, "optimized_tiled", "a against b")
    source = Source("", {stem: str(path) for stem, path in joined.siblings.items()}, joined.borrowed)
    baseline, variant = source.side("baseline").function, source.side("b").function
    assert (baseline.__code__.co_filename, baseline.__name__) == (str(a.path), "optimized")
    assert (variant.__code__.co_filename, variant.__name__) == (str(b.path), "optimized_tiled")
    assert source.side("twin").function.__name__ == "optimized"
    assert joined.variants == ("b",) and joined.tier == "" and joined.path == a.path


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("workload_cpu = dict(elements=2**22)", "workload_cpu = dict(elements=2**21)", "workload_cpu"),
        ("smoke = dict(elements=1_003)", "smoke = dict(elements=1_001)", "smoke"),
        ("torch.randn(elements), torch.randn(elements)", "torch.rand(elements), torch.rand(elements)", "inputs"),
        ("a.double() + b.double()", "b.double() + a.double()", "reference"),
        ("tolerance = dict(rtol=1e-6", "tolerance = dict(rtol=1e-3", "tolerance"),
        ("(a, b, c)", "(x, b, c)", "arguments"),
        ('tier = "idiomatic"', 'tier = "idiomatic"\nclaim = "memory"', "claim"),
        ('tier = "idiomatic"', 'tier = "idiomatic"\nconstant = ("a",)', "constant"),
    ],
)
def test_files_that_do_other_work_are_refused_with_the_reason(pair, old, new, what):
    assert old in TEXT
    text = TEXT.replace(old, new)
    if what == "arguments":
        text = text.replace("a.double()", "x.double()").replace("return a + b", "return x + b")
    with pytest.raises(UsageError, match=f"`{what}`"):
        join(pair("a"), "optimized", pair("b", text), "optimized", "x")


def test_each_file_keeps_the_format_that_it_computes_in(pair):
    """Both in bfloat16: neither is held against the arithmetic of float32."""
    text = TEXT.replace('tier = "idiomatic"', 'tier = "idiomatic"\nlowers_precision = "bf16"')
    a, b = pair("a", text), pair("b", text + TILED)
    assert join(a, "optimized", b, "optimized_tiled", "x").computes_in == {"baseline": "bf16", "b": "bf16"}
    assert join(pair("c"), "optimized", b, "optimized_tiled", "x").computes_in == {"b": "bf16"}


def test_comments_docstrings_and_layout_may_differ(pair):
    text = TEXT.replace('    """Slow, obviously right, in a higher precision."""\n', "    # right\n")
    assert text != TEXT
    join(pair("a"), "optimized", pair("b", text), "optimized", "x")


def test_a_variant_is_named_in_full_or_in_short(pair):
    one = pair("a", TEXT + TILED)
    assert [choose_variant(one, name) for name in (None, "tiled", "optimized_tiled", "baseline")] == [
        "optimized",
        "optimized_tiled",
        "optimized_tiled",
        "baseline",
    ]
    with pytest.raises(UsageError, match="no variant 'fused'"):
        choose_variant(one, "fused")
