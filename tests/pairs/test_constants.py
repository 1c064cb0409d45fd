"""`constants`: a function of the contract where `constant` is declared and the file does not call it itself."""

import pytest

MAKER = 'constant = ("weight",)\n\n\ndef constants({sizes}):\n    return torch.randn({width})\n'


@pytest.fixture
def with_maker(valid):
    """The valid pair with constants that are made apart; `inputs` takes them if asked to."""

    def changed(sizes="cols", width="cols", inputs="rows, cols"):
        text = valid.replace("torch.randn(rows, cols), torch.randn(cols)", "torch.randn(rows, cols)")
        return text.replace("def inputs(rows, cols)", f"def inputs({inputs})") + MAKER.format(sizes=sizes, width=width)

    return changed


@pytest.mark.parametrize("inputs", ["rows, cols", "rows, cols, weight", "weight, *, rows, cols"])
def test_constants_take_the_sizes_that_they_need_and_inputs_the_constants(accepted, with_maker, inputs):
    assert accepted(with_maker(inputs=inputs)).makes_constants


def test_a_size_that_is_none_is_refused(refused, with_maker):
    assert "`constants` takes (colour), which `workload` does not have" in refused(with_maker(sizes="colour"))


def test_inputs_and_cost_may_leave_out_a_size_that_constants_take(accepted, refused, with_maker):
    text = with_maker(inputs="rows").replace("torch.randn(rows, cols)", "torch.randn(rows)")
    assert accepted(text).makes_constants
    assert "they must be the same names" in refused(with_maker(sizes="rows", width="rows", inputs="rows"))


def test_inputs_take_no_argument_that_is_not_constant(refused, with_maker):
    assert "they must be the same names" in refused(with_maker(inputs="rows, cols, x"))


@pytest.mark.parametrize(
    "text",
    [
        "\nconstants = dict(pi=3)\nTWICE = 2 * constants['pi']\n",
        "\n\ndef constants():\n    return 3\n\n\nC = constants()\n",
    ],
    ids=["a value", "a helper"],
)
def test_the_word_alone_is_an_ordinary_one(accepted, valid, text):
    assert not accepted(valid + text).makes_constants
    assert not accepted(valid + text + 'constant = ("weight",)\n').makes_constants


def test_without_constant_its_name_is_answered_with_the_right_one(refused, valid):
    assert "did you mean `constant`?" in refused(valid + "\n\ndef constants(cols):\n    return 1\n")
