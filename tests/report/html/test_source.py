"""The diff of two sides is that of the file that was measured, or it is not shown."""

import hashlib

import pytest

from perfproof.core.documents import FunctionSource, TargetResult
from perfproof.pairs.source import read_source
from perfproof.report.html.source import diff_lines, side_lines, source_diff

PAIR = '''"""A lesson."""
import torch

SCALE = 2  # shared
UNUSED = 3


def baseline(x):
    return x * SCALE


def kernel(x):
    return x + x


def prepare_optimized(x):
    return 1


def optimized(made, x):
    return kernel(x) * SCALE / 2
'''


@pytest.fixture
def pair(tmp_path):
    path = tmp_path / "pair.py"
    path.write_text(PAIR)
    return path


def measured(path, **fields):
    digest = hashlib.sha256(PAIR.encode()).hexdigest()
    return TargetResult(target="pair", status="ok", path=str(path), **{"source_sha256": digest} | fields)


def test_a_side_is_its_function_with_all_that_it_uses(pair):
    lines = "\n".join(side_lines(read_source(pair), "optimized"))
    assert all(part in lines for part in ("SCALE = 2", "def kernel", "def prepare_optimized", "def optimized"))
    assert "UNUSED" not in lines and "def baseline" not in lines and "import" not in lines


def test_the_diff_marks_what_only_one_side_has(pair):
    lines = source_diff(measured(pair), "optimized").lines
    text = [line.mark + line.text for line in lines]
    assert " SCALE = 2  # shared" in text and "-def baseline(x):" in text and "+def kernel(x):" in text


def test_a_file_that_changed_since_is_not_shown(pair):
    pair.write_text(PAIR + "# later\n")
    found = source_diff(measured(pair), "optimized")
    assert not found.lines and "has changed since the run" in found.why


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"path": ""}, "has no source file"),
        ({"path": "gone/pair.py"}, "gone/pair.py is not on this machine"),
    ],
)
def test_a_missing_file_is_said(pair, fields, why):
    assert why in source_diff(measured(pair).model_copy(update=fields), "optimized").why


def test_two_files_under_one_mark_are_not_taken_for_a_change(pair):
    joined = hashlib.sha256(PAIR.encode()).hexdigest()[:32] + "0" * 32
    assert "in two files" in source_diff(measured(pair, source_sha256=joined), "b").why


def test_sides_that_differ_in_their_environment_have_no_diff(pair):
    assert "`b` is no function of pair.py" in source_diff(measured(pair), "b").why


def test_a_file_that_is_no_python_is_said(tmp_path):
    path = tmp_path / "pair.py"
    path.write_text("def (")
    assert "not Python" in source_diff(measured(path), "optimized").why


def test_a_step_that_borrows_its_baseline_is_compared_with_the_lender(tmp_path):
    (tmp_path / "step_01.py").write_text('"""One."""\n\n\ndef optimized(x):\n    return x + 1\n')
    text = '"""Two."""\n\nbaseline = "step_01"\n\n\ndef optimized(x):\n    return x + 2\n'
    path = tmp_path / "step_02.py"
    path.write_text(text)
    found = source_diff(measured(path, source_sha256=hashlib.sha256(text.encode()).hexdigest()), "optimized")
    assert [line.mark + line.text for line in found.lines][1:] == ["-    return x + 1", "+    return x + 2"]
    assert "step_01.py, as that file is now" in found.note


def test_cuda_kernels_beside_the_pair_are_shown(tmp_path):
    text = PAIR.replace("import torch", "import torch\nfrom perfproof import cuda")
    (tmp_path / "pair.py").write_text(text)
    (tmp_path / "pair.cu").write_text("__global__ void k() {}\n")
    source = read_source(tmp_path / "pair.py")
    from perfproof.pairs.kernels import kernel_files, whole_sha256

    digest = whole_sha256(source.sha256, kernel_files(source))
    found = source_diff(measured(source.path, source_sha256=digest), "optimized")
    assert found.kernels == (("pair.cu", "__global__ void k() {}"),)


def test_equal_sides_have_no_marks():
    assert [line.mark for line in diff_lines(["a", "b"], ["a", "b"])] == [" ", " "]


def function_at(path, name):
    lines = path.read_text().splitlines()
    line = 1 + next(at for at, one in enumerate(lines) if f"def {name}(" in one)
    return FunctionSource(path=str(path), name=name, line=line, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def test_two_functions_without_a_pair_have_a_diff(pair):
    pair.write_text(f"{PAIR}\n\nclass Own:\n    def kernel(self, x):\n        return x\n")
    named = {side: function_at(pair, name) for side, name in (("baseline", "baseline"), ("b", "kernel"))}
    found = source_diff(TargetResult(target="f", status="ok", functions=named), "b")
    assert [line.text for line in found.lines if line.mark == "-"][-2:] == ["def baseline(x):", "    return x * SCALE"]
    assert [line.text for line in found.lines if line.mark == "+"] == ["def kernel(x):", "    return x + x"]
    named["b"].line = 1 + pair.read_text().splitlines().index("    def kernel(self, x):")
    inner = source_diff(TargetResult(target="f", status="ok", functions=named), "b")
    assert "    def kernel(self, x):" in [line.text for line in inner.lines]


def test_functions_that_are_not_as_they_were_measured_are_not_shown(pair):
    named = {"baseline": function_at(pair, "baseline"), "b": function_at(pair, "kernel")}
    pair.write_text(PAIR.replace("x + x", "2 * x"))
    assert "has changed since the run" in source_diff(TargetResult(target="f", status="ok", functions=named), "b").why
    del named["b"]
    assert "a lambda" in source_diff(TargetResult(target="f", status="ok", functions=named), "b").why
    pair.unlink()
    named["b"] = named["baseline"]
    assert "not on this machine" in source_diff(TargetResult(target="f", status="ok", functions=named), "b").why


def test_an_argument_is_no_name_of_the_file(pair):
    pair.write_text("def x():\n    pass\n\n\ndef f(x):\n    return x\n")
    assert side_lines(read_source(pair), "f") == ["def f(x):", "    return x"]
