"""Labels of sides: what stands above columns and in sentences."""

from perfproof.core.documents import RatioResult, TargetResult
from perfproof.report.labels import heads, under_heads, variant_of
from perfproof.report.sentences import conclusion


def judged(verdict, ratio, low=None, high=None, **more):
    fields = {"baseline": 142e-6, "variant": 142e-6 / ratio if ratio else None} | more
    found = RatioResult(verdict=verdict, ratio=ratio, low=low, high=high, **fields)
    labels = {"baseline": "f", "optimized": "g"}
    return TargetResult(target="f against g", status="ok", verdict=verdict, labels=labels, ratios={"optimized": found})


def test_a_sentence_speaks_in_labels():
    assert conclusion(judged("slower", 0.5, 0.4, 0.625), "optimized").startswith("g is 2.00x slower than f")
    target = judged("faster", 1.94, 1.92, 1.96).model_copy(update={"labels": {}})
    assert conclusion(target, "optimized").startswith("optimized is 1.94x faster than baseline")


def test_what_went_wrong_is_said_instead():
    target = TargetResult(target="f against g", status="crashed", reason="ValueError: no")
    assert conclusion(target, "optimized") == "No result (crashed): ValueError: no"


def test_labels_are_the_heads_of_columns_unless_they_are_long_or_differ():
    named = judged("faster", 1.94)
    assert heads([named, named]) == ("f", "g")
    long = named.model_copy(update={"labels": {"baseline": "f", "b": "python train.py --workers 8"}})
    assert heads([long]) == ("a", "b")
    assert (
        heads([named, long]) == heads([]) == heads([named.model_copy(update={"labels": {}})]) == ("baseline", "variant")
    )


def test_a_row_does_not_repeat_what_stands_above_its_columns():
    assert under_heads("./sort: f against g", ("f", "g")) == "./sort"
    assert under_heads("./sort: f against g", ("a", "b")) == "./sort: f against g"
    assert under_heads("f against g", ("f", "g")) == "f against g"


def test_a_remark_belongs_to_the_variant_that_it_begins_with():
    ratio = RatioResult(verdict="faster", ratio=2.0)
    target = TargetResult(target="t", status="ok", ratios={"fast": ratio, "fast_2": ratio})
    assert variant_of(target, "fast_2 does not follow the baseline") == variant_of(target, "fast_2: x") == "fast_2"
    assert variant_of(target, "fast: x") == "fast"
    assert variant_of(target, "faster machines") == variant_of(target, "the file takes fast: 3 s") == ""
    assert variant_of(judged("faster", 2.0), "g does not follow f") == "optimized"
