import pytest

from perfproof.core.errors import UsageError
from perfproof.pairs.sizes import parse_sizes


@pytest.fixture
def pair(accepted, valid):
    def make(name="ch01:batched_gemm", chapter="ch01"):
        text = valid.replace("cols=64)", 'cols=64, scale=0.5, causal=True, mode="fast", dtype="float32")')
        text = text.replace("cols=7)", 'cols=7, scale=0.5, causal=True, mode="fast", dtype="float32")')
        text = text.replace("(rows, cols)", "(rows, cols, scale, causal, mode, dtype)")
        read = accepted(text, chapter, "some_pair")
        return type(read)(**vars(read) | {"name": name})

    return make


def refusal(items, pairs):
    with pytest.raises(UsageError) as caught:
        parse_sizes(items, pairs)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ("rows=80", {"rows": 80}),
        ("rows=16_384", {"rows": 16384}),
        ("scale=2", {"scale": 2.0}),
        ("causal=false", {"causal": False}),
        ("causal=1", {"causal": True}),
        ("mode=a=b", {"mode": "a=b"}),
        ("dtype=bfloat16", {"dtype": "bfloat16"}),
    ],
)
def test_a_value_takes_the_type_of_the_declared_one(pair, item, value):
    parsed = parse_sizes([f"ch01:batched_gemm.{item}"], [pair()])
    assert parsed == {"ch01:batched_gemm": value}
    assert [type(v) for v in parsed["ch01:batched_gemm"].values()] == [type(v) for v in value.values()]


def test_several_sizes_of_several_targets(pair):
    items = ["ch01:batched_gemm.rows=1", "ch02:other.rows=2", "ch01:batched_gemm.cols=3"]
    parsed = parse_sizes(items, [pair(), pair("ch02:other")])
    assert parsed == {"ch01:batched_gemm": {"rows": 1, "cols": 3}, "ch02:other": {"rows": 2}}


def test_nothing_given_is_nothing_overridden(pair):
    assert parse_sizes([], [pair()]) == {}


@pytest.mark.parametrize("target", ["ch1:batched_gemm", "ch01:batched_gemm"])
def test_a_target_may_be_written_as_for_run(pair, target):
    assert parse_sizes([f"{target}.rows=1"], [pair()]) == {"ch01:batched_gemm": {"rows": 1}}


@pytest.mark.parametrize("target", ["mine/fast", "mine/fast.py"])
def test_a_file_of_the_users_own_is_named_by_its_path(pair, target):
    assert parse_sizes([f"{target}.rows=1"], [pair("mine/fast", "mine")]) == {"mine/fast": {"rows": 1}}


def test_a_step_may_be_named_by_its_beginning(pair):
    pairs = [pair("labs/moe:step_01_loop", "labs/moe"), pair("labs/moe:step_02_sorted", "labs/moe")]
    assert parse_sizes(["labs/moe:step_02.rows=1"], pairs) == {"labs/moe:step_02_sorted": {"rows": 1}}


def test_the_target_may_be_left_out_where_there_is_one(pair):
    assert parse_sizes(["rows=1"], [pair()]) == {"ch01:batched_gemm": {"rows": 1}}
    assert "names no target and 2 are selected; write TARGET.KEY=VALUE" in refusal(
        ["rows=1"], [pair(), pair("ch02:other")]
    )


def test_an_unknown_target_is_answered_with_the_selected_ones(pair):
    message = refusal(["ch02:other.rows=1"], [pair()])
    assert "'ch02:other' is not one of the selected targets; they are ch01:batched_gemm" in message


def test_an_unknown_key_is_answered_with_the_valid_ones(pair):
    message = refusal(["ch01:batched_gemm.row=1"], [pair()])
    assert "ch01:batched_gemm has no size 'row'; its sizes are rows, cols, scale, causal, mode, dtype" in message


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("rows=many", "rows is of type int, as in rows=4096; 'many' is not"),
        ("rows=1.5", "rows is of type int"),
        ("rows=", "rows is of type int"),
        ("rows=" + "9" * 5000, "rows is of type int"),
        ("scale=wide", "scale is of type float"),
        ("scale=inf", "scale must be finite"),
        ("causal=maybe", "causal is of type bool"),
        ("dtype=flaot16", "'dtype' is 'flaot16', not a dtype name"),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused(pair, item, why):
    assert why in refusal([item], [pair()])


@pytest.mark.parametrize("item", ["rows", "=1", "", "ch01:batched_gemm.=1"])
def test_what_is_no_assignment_is_refused(pair, item):
    assert "is not TARGET.KEY=VALUE" in refusal([item], [pair()])
