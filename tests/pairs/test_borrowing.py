import pytest

LAB = "labs/adding"
BASELINE = "def baseline(x, weight):\n    return x + 1.0 * weight\n"
INPUTS = "def inputs(rows, cols):\n    return torch.randn(rows, cols), torch.randn(cols)\n"
REFERENCE = "def reference(x, weight):\n    return x.double() + weight.double()\n"
TOLERANCE = "tolerance = dict(rtol=1e-5, atol=1e-6)  # one rounding of float32\n"


@pytest.fixture
def lab(tmp_path, valid):
    """The folder of a lab with a first step in it."""
    (tmp_path / "step_01.py").write_text(valid)
    return tmp_path


def step(valid, *borrowed, stem="step_01"):
    """A second step that borrows these names."""
    parts = {"baseline": BASELINE, "inputs": INPUTS, "reference": REFERENCE, "tolerance": TOLERANCE}
    for name in borrowed:
        valid = valid.replace(parts[name], f'{name} = "{stem}"\n')
    return valid


def test_a_step_may_borrow_everything_it_shares(lab, accepted, valid):
    pair = accepted(step(valid, "baseline", "inputs", "reference", "tolerance"), LAB, "step_02")
    assert pair.borrowed == dict.fromkeys(["inputs", "reference", "baseline", "tolerance"], "step_01")
    assert pair.siblings == {"step_01": lab / "step_01.py"}
    assert pair.arguments == ("x", "weight")
    assert pair.tolerance == {}
    assert pair.sides == ("baseline", "optimized")


def test_a_borrowed_baseline_comes_with_its_preparation(lab, accepted, valid):
    prepared = "def prepare_optimized(x, weight):\n    return 1\n\n\ndef optimized(packed, x, weight)"
    (lab / "step_01.py").write_text(valid.replace("def optimized(x, weight)", prepared))
    assert accepted(step(valid, "baseline"), LAB, "step_02").prepares == ("baseline",)


def test_a_borrowed_baseline_computes_in_the_format_that_its_own_file_declares(lab, accepted, valid):
    lowered = 'lowers_precision = "bf16"\n'
    (lab / "step_01.py").write_text(valid.replace("tier =", f"{lowered}tier ="))
    assert accepted(step(valid, "baseline"), LAB, "step_02").computes_in == {"baseline": "bf16"}
    own = step(valid, "baseline").replace("tier =", 'lowers_precision = "fp8"\ntier =')
    assert accepted(own, LAB, "step_02").computes_in == {"baseline": "bf16", "optimized": "fp8"}
    assert accepted(own.replace('baseline = "step_01"', BASELINE), LAB, "step_02").computes_in == {"optimized": "fp8"}


def test_what_a_sibling_imports_is_needed_too(lab, accepted, valid):
    (lab / "step_01.py").write_text(valid.replace("import torch", "import torch\nimport triton"))
    assert accepted(step(valid, "baseline"), LAB, "step_02").imports == ("torch", "triton")


def test_a_chain_of_loans_ends_at_the_file_that_defines_it(lab, accepted, valid):
    (lab / "step_02.py").write_text(step(valid, "inputs", "baseline"))
    pair = accepted(step(valid, "inputs", "baseline", stem="step_02"), LAB, "step_03")
    assert pair.borrowed == {"inputs": "step_01", "baseline": "step_02"}
    assert set(pair.siblings) == {"step_01", "step_02"}


@pytest.mark.parametrize("name", ["baseline", "inputs", "reference", "tolerance"])
def test_only_a_lab_may_borrow(refused, valid, name):
    assert f"`{name}` is a string; only a lab's step may borrow: write " in refused(step(valid, name), "ch01")


def test_a_sibling_must_exist(refused, valid):
    message = refused(step(valid, "baseline"), LAB, "step_02")
    assert (
        "`baseline` names 'step_01', but there is no such file in this folder; write a sibling's name without .py"
        in message
    )


@pytest.mark.parametrize("stem", ["step_01.py", "../step_01", "", "step 01"])
def test_a_sibling_is_a_plain_name(lab, refused, valid, stem):
    assert "there is no such file in this folder" in refused(step(valid, "baseline", stem=stem), LAB, "step_02")


def test_a_step_cannot_borrow_from_itself(refused, valid):
    assert "`inputs` is borrowed in a circle" in refused(step(valid, "inputs", stem="step_02"), LAB, "step_02")


def test_two_steps_cannot_borrow_from_each_other(lab, refused, valid):
    (lab / "step_01.py").write_text(step(valid, "inputs", stem="step_02"))
    assert "`inputs` is borrowed in a circle" in refused(step(valid, "inputs"), LAB, "step_02")


def test_the_sibling_must_define_what_is_borrowed(lab, refused, valid):
    (lab / "step_01.py").write_text(valid.replace("def optimized(", "def optimized_b("))
    message = refused(step(valid, "baseline"), LAB, "step_02")
    assert (
        "`baseline` is borrowed from step_01.py, which has no `optimized` of its own; name a step that defines it"
        in message
    )


def test_borrowed_and_own_functions_must_agree(lab, refused, valid):
    (lab / "step_01.py").write_text(valid.replace("(x, weight)", "(x, w)"))
    message = refused(step(valid, "baseline"), LAB, "step_02")
    assert (
        "`optimized` of step_01.py takes (x, w) and `reference` takes (x, weight): they differ in w, weight" in message
    )


def test_borrowed_inputs_must_take_the_sizes(lab, refused, valid):
    (lab / "step_01.py").write_text(valid.replace("def inputs(rows, cols)", "def inputs(rows)"))
    assert "`workload` has (rows, cols) and `inputs` of step_01.py takes (rows)" in refused(
        step(valid, "inputs"), LAB, "step_02"
    )


def test_a_borrowed_baseline_has_no_second_preparation(lab, refused, valid):
    text = step(valid, "baseline") + "\n\ndef prepare_baseline(x, weight):\n    return 1\n"
    assert "`prepare_baseline` prepares `baseline`, which is borrowed with its own preparation" in refused(
        text, LAB, "step_02"
    )


def test_a_sibling_that_looks_into_the_harness_is_refused(lab, valid, accepted):
    (lab / "step_01.py").write_text(valid + "\nimport inspect\n\ninspect.stack()\n")
    with pytest.raises(Exception, match=r"step_01\.py:38: looks into the harness"):
        accepted(step(valid, "baseline"), LAB, "step_02")


def test_a_sibling_that_is_not_python_is_named(lab, valid, accepted):
    (lab / "step_01.py").write_text("def (")
    with pytest.raises(Exception, match=r"step_01\.py:1: not Python"):
        accepted(step(valid, "baseline"), LAB, "step_02")
