"""In a file of the user's own a side may be a name for a function that stands elsewhere."""

import pytest

from perfproof.core.errors import ContractError
from perfproof.pairs.contract import read_pair

HEAD = "import torch\nworkload = dict(n=8)\ndef inputs(n):\n    return torch.randn(n), torch.randn(n)\n"
NORM = "def norm(x, weight, eps=1e-6):\n    return x * weight\n"


@pytest.fixture
def read(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "mylib").mkdir()
    (tmp_path / "mylib" / "__init__.py").write_text("from .kernels import norm as shown\n")
    (tmp_path / "mylib" / "kernels.py").write_text(NORM + "fast = norm\n")

    def call(text, head=HEAD):
        path = tmp_path / "pair.py"
        path.write_text(head + text)
        return read_pair(path, "pair", "own", own=True)

    return call


@pytest.mark.parametrize(
    "sides",
    [
        NORM + "baseline = norm\noptimized = torch.compile(norm)",
        NORM + "baseline = norm\noptimized = torch.compile(mode='reduce-overhead')(norm)",
        NORM + "baseline = optimized = norm",
        "baseline = lambda x, weight: x * weight\noptimized = torch.mul",
        "from mylib.kernels import norm as baseline\nfrom mylib import shown as optimized",
        "from mylib import kernels\nbaseline = kernels.norm\noptimized = kernels.fast",
        "import mylib.kernels\nbaseline = torch.mul\noptimized = torch.no_grad()(mylib.kernels.fast)",
        "import mylib.kernels as fast\nbaseline = fast.norm\ndef optimized(x, weight, eps=0.0):\n    return x * weight",
        "from functools import partial\ndef scaled(k, x, weight, shift):\n    return x\n"
        "baseline = partial(scaled, 2.0, shift=1.0)\noptimized = torch.mul",
        NORM + "baseline = norm\noptimized = norm if torch.cuda.is_available() else torch.mul",
    ],
)
def test_an_alias_has_the_parameters_of_what_it_stands_for(read, sides):
    pair = read(sides)
    assert (pair.arguments, pair.variants) == (("x", "weight"), ("optimized",))


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("return torch.randn(8), torch.randn(8)", ("argument_1", "argument_2")),
        ("x = torch.randn(8)\n    return x", ("x",)),
        ("return torch.randn(8)", ("argument_1",)),
        ("return [torch.randn(8) for _ in range(3)]", ("argument_1",)),
    ],
)
def test_if_no_parameters_can_be_seen_they_are_what_inputs_returns(read, body, arguments):
    head = f"import torch\ndef inputs():\n    {body}\n"
    assert read("baseline = torch.foo\noptimized = Made(1e-5).method", head=head).arguments == arguments


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ("baseline = torch.mul\noptimized = 64", "`optimized` is a value"),
        ("baseline = torch.mul\noptimized = [torch.mul]", "`optimized` is a value"),
        (NORM + "baseline = norm\noptimized = lambda x: x", "they differ in weight"),
        ("baseline = torch.mul\noptimized = torch.mul\noptimized = torch.mul", "defined twice"),
    ],
)
def test_what_is_no_function_or_takes_other_arguments_is_refused(read, sides, words):
    with pytest.raises(ContractError, match=words):
        read(sides)


def test_if_nothing_says_what_a_side_takes_it_is_refused_with_what_to_write(read):
    made = "baseline = lambda x: x\noptimized = torch.mul\ndrawn = torch.randn\ninputs = drawn"
    with pytest.raises(ContractError, match=r"arguments `inputs` takes cannot be seen.*write `def inputs"):
        read(made, head="import torch\nworkload = dict(n=8)\n")
    for several in ("batch()", "tuple(torch.randn(8) for _ in range(2))", "torch.randn(8), *batch()"):
        returned = f"import torch\ndef inputs():\n    return {several}\n"
        with pytest.raises(ContractError, match=r"arguments `baseline` takes cannot be seen.*write `def baseline"):
            read("baseline = torch.sin\noptimized = torch.sin", head=returned)


def test_a_lesson_of_the_product_writes_its_functions_out(tmp_path, changed):
    path = tmp_path / "pair.py"
    path.write_text(changed("def optimized(x, weight):", "optimized = torch.mul\n\n\ndef helper(x, weight):"))
    with pytest.raises(ContractError, match="`optimized` is a value"):
        read_pair(path, "pair", "ch01")
