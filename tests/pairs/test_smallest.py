"""A pair of the user's own needs `inputs`, `baseline` and `optimized`. A lesson of the product needs all names."""

import pytest

from perfproof.bench.run import make_job
from perfproof.core.errors import ContractError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.machine.facts import read_facts
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Pair
from perfproof.pairs.targets import select

SMALLEST = """\
import torch


def inputs():
    return torch.randn(1024)


def baseline(x):
    return (x * x).sum()


def optimized(x):
    return torch.dot(x, x)
"""
SIZED = "N = 1 << 10\nworkload = dict(n=4 * N, k=2**5)\n" + SMALLEST.replace("inputs()", "inputs(n, k)")


@pytest.fixture
def own(tmp_path):
    def read(text):
        path = tmp_path / "mine.py"
        path.write_text(text)
        return read_pair(path, "mine", "mine", own=True)

    return read


def test_three_functions_are_a_pair(own):
    pair = own(SMALLEST)
    assert pair.arguments == ("x",) and pair.variants == ("optimized",)
    assert pair.workload == {} and pair.workload_cpu == {} and pair.tier == ""
    assert not pair.has_reference and not pair.has_cost and pair.own
    assert pair.tolerance == DEFAULT_TOLERANCE
    assert pair.lesson == "optimized against baseline"


def test_it_is_timed_with_and_without_a_gpu(own):
    pair = own(SMALLEST)
    assert availability(pair, Facts("cpu", None, 0, 1, lambda name: True)).timed
    assert availability(pair, Facts("cuda:0", 9.0, 1, 1, lambda name: True)).timed


def test_sizes_may_be_arithmetic_and_hold_on_a_cpu_too(own):
    pair = own(SIZED)
    assert pair.workload == pair.workload_cpu == {"n": 4096, "k": 32}


def test_sizes_that_inputs_takes_must_be_somewhere(own):
    with pytest.raises(ContractError, match=r"mine.py:4: `inputs` takes n and there is no `workload`; add .*n=1024"):
        own(SMALLEST.replace("inputs()", "inputs(n)"))
    assert own(SMALLEST.replace("inputs()", "inputs(n=8)")).workload == {}


def test_what_is_left_out_is_said(own):
    said = ", ".join(own(SMALLEST).left_out)
    assert all(word in said for word in ("docstring", "tolerance", "tier", "cost"))
    whole = '"""A lesson."""\ntolerance = dict(rtol=1e-4, atol=1e-4)  # a sum\ntier = "naive"\n' + SMALLEST
    whole += "\n\ndef cost():\n    return dict(flops=1, bytes=1)\n"
    assert own(whole).left_out == ()
    assert own(whole.replace("  # a sum", "")).left_out == ("the reason for the tolerance",)


def test_what_loosens_a_check_without_a_reason_is_said(own):
    text = SMALLEST + "\n\ndomain = dict(x=(0.0, 1.0))\n"
    assert own(text).reasonless == ("domain",)
    job = make_job(own(text), {}, RunOptions(), read_facts("cpu"), "5eed", 1.0)
    assert any(code == "W126" and "`domain` loosens a check" in said for code, said in job.warnings)
    assert own(text.replace("1.0))", "1.0))  # probabilities")).reasonless == ()


@pytest.mark.parametrize("name", ["inputs", "baseline", "optimized"])
def test_each_of_the_three_is_needed(own, name):
    with pytest.raises(ContractError, match=f"no `{name}`; add"):
        own(SMALLEST.replace(f"def {name}(", "def something_else("))


def test_a_misspelt_name_is_still_refused(own):
    with pytest.raises(ContractError, match="did you mean `reference`"):
        own(SMALLEST + "\n\ndef referense(x):\n    return x\n")


def test_sides_must_agree_in_their_arguments(own):
    with pytest.raises(ContractError, match="they differ in y"):
        own(SMALLEST.replace("optimized(x)", "optimized(x, y)"))


def test_a_variant_may_call_its_arguments_otherwise_but_not_change_their_places(own):
    text = SMALLEST.replace("baseline(x)", "baseline(x, weight)")
    for other in ("optimized(values, scale)", "optimized(x, w)", "optimized(values, weight, *, eps=1e-5)"):
        assert own(text.replace("optimized(x)", other)).arguments == ("x", "weight")
    for other in ("optimized(weight, x)", "optimized(weight, y)", "optimized(values)", "optimized(x, w, *, eps)"):
        with pytest.raises(ContractError):
            own(text.replace("optimized(x)", other))


def test_a_prepared_baseline_names_the_arguments_after_what_was_prepared(own):
    text = SMALLEST.replace("def baseline(x)", "def prepare_baseline(x):\n    return 1\n\n\ndef baseline(ready, x)")
    assert own(text).arguments == ("x",)


def test_a_file_on_disk_is_the_user_s_own_and_a_lesson_is_not(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(SMALLEST)
    monkeypatch.chdir(tmp_path)
    (pair,) = select(["mine.py"])
    assert isinstance(pair, Pair) and pair.own
    with pytest.raises(ContractError, match="no docstring"):
        read_pair(tmp_path / "mine.py", "ch01:mine", "ch01")
