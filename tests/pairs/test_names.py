import pytest

from perfproof.core.errors import ContractError
from perfproof.pairs.contract import read_pair
from perfproof.pairs.names import edit_distance


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("def optimized(", "def optimised(", "optimized"),
        ("def reference(", "def refrence(", "reference"),
        ("workload = dict(rows=4096", "workloads = dict(rows=4096", "workload"),
        ("tolerance =", "tolerence =", "tolerance"),
        ("def inputs(", "def input(", "inputs"),
        ("smoke =", "smok =", "smoke"),
        ("workload_cpu =", "workload_gpu =", "workload_cpu"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_right_one(refused, changed, old, new, meant):
    wrong = new.removeprefix("def ").partition("(")[0].partition(" ")[0]
    assert f"`{wrong}` means nothing here; did you mean `{meant}`" in refused(changed(old, new))


def test_a_misspelt_variant_beside_a_right_one_is_not_dropped(refused, valid):
    message = refused(valid + "\n\ndef optimised_tiled(x, weight):\n    return x\n")
    assert "did you mean `optimized_tiled`?" in message


def test_a_misspelt_preparation_is_not_dropped(refused, valid):
    assert "did you mean `prepare_optimized`?" in refused(
        valid + "\n\ndef prepair_optimized(x, weight):\n    return 1\n"
    )


def test_a_second_version_is_told_how_variants_are_called(refused, valid):
    message = refused(valid + "\n\ndef optimized2(x, weight):\n    return x\n")
    assert message.endswith("did you mean `optimized`, or `optimized_<name>` for a further variant?")


def test_a_misspelt_optional_name_is_refused(refused, valid):
    assert "did you mean `needs`?" in refused(valid + "need = dict(cuda=9.0)\n")


@pytest.mark.parametrize(
    "name", ["block", "heads", "mean", "host", "rank", "optimizer", "counts", "counter", "layouts"]
)
def test_an_ordinary_word_that_the_file_uses_is_left_alone(accepted, valid, name):
    accepted(valid + f"{name} = 4\nTOTAL = {name} * 2\n")


def test_a_helper_named_as_a_value_is_left_alone(accepted, valid):
    accepted(valid + "\n\ndef counter(x):\n    return x + 1\n\n\nTOTAL = counter(2)\n")


def test_a_misspelling_that_the_file_uses_is_still_one(refused, valid):
    helper = "\n\ndef optimised(x, weight):\n    return x\n"
    variant = "\n\ndef optimized_b(x, weight):\n    return optimised(x, weight)\n"
    assert "did you mean `optimized`" in refused(valid + helper + variant)


@pytest.mark.parametrize(
    "line", ["EPS2 = 1", "TIER = 2", "_clocks = 1", "cos = 1", "import cots", "import numpy as need"]
)
def test_constants_private_names_short_names_and_imports_are_not_compared(accepted, valid, line):
    accepted(f"{valid}{line}\n")


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("tier", "tier", 0),
        ("tire", "tier", 2),
        ("optimised", "optimized", 1),
        ("outputs", "inputs", 3),
        ("a", "workload", 3),
    ],
)
def test_edit_distance_counts_letters_up_to_three(one, other, distance):
    assert edit_distance(one, other) == distance


def test_a_program_is_told_which_command_it_wants(tmp_path):
    (tmp_path / "tool.py").write_text("def work(n):\n    return sum(range(n))\n\nprint(work(10))\n")
    with pytest.raises(ContractError, match="a program, and no pair; profile it with `perfproof profile -- python "):
        read_pair(tmp_path / "tool.py", "tool", "", own=True)


def test_a_script_that_calls_compare_is_told_to_be_run(tmp_path):
    (tmp_path / "mine.py").write_text("import perfproof\nprint(perfproof.compare(abs, abs, (1,)))\n")
    with pytest.raises(ContractError, match=r"run it by itself: `python .*mine.py`"):
        read_pair(tmp_path / "mine.py", "mine", "", own=True)


@pytest.mark.parametrize("begun", ["def inputs(): return 1", "def optimised(x): return x", "def baseline(x): return x"])
def test_a_pair_that_was_begun_is_told_what_it_lacks(tmp_path, begun):
    (tmp_path / "mine.py").write_text(f"{begun}\n")
    with pytest.raises(ContractError, match=r"no `inputs`|no `baseline`|means nothing here"):
        read_pair(tmp_path / "mine.py", "mine", "", own=True)
