"""Right wherever the baseline is right: variants that hold for drawn values only are found, roundings are not."""

import math
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
import scipy.sparse
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from perfproof.worker.verify import extremes
from perfproof.worker.verify.case import Contract
from tests.worker.verify.cases import make_case

ROOT = Path(__file__).parents[3]
EXACT = dict(rtol=0.0, atol=0.0)


def rows(size=9, width=37, dtype=torch.float32):
    return lambda: (torch.randn(size, width).to(dtype),)


def check(draw, reference, *sides, **declared):
    return extremes.check(make_case(draw, reference, *sides, **declared))


def problem(draw, reference, *sides, **declared):
    return check(draw, reference, *sides, **declared)[0]


def softmax(x):
    return x.softmax(-1)


def centred_square(x):
    return (x - x.mean(-1, keepdim=True)).square().mean(-1)


def guarded_by_the_first_row(x):
    first = x[0]
    if first.mean().abs() > 2 * first.std():
        return centred_square(x)
    return x.square().mean(-1) - x.mean(-1).square()


def in_double(function):
    return lambda *arguments: function(*(x.double() if torch.is_tensor(x) else x for x in arguments))


def ranks(scores):
    return (scores[None, :] < scores[:, None]).sum(1)


@pytest.mark.parametrize(
    ("draw", "function", "variant", "words"),
    [
        (rows(), softmax, lambda x: x.exp() / x.exp().sum(-1, keepdim=True), "1024 times as large has NaN"),
        (rows(), lambda x: x.logsumexp(-1), lambda x: x.exp().sum(-1).log(), "has infinities"),
        (rows(), centred_square, lambda x: x.square().mean(-1) - x.mean(-1).square(), "far from zero differs in"),
        (rows(), centred_square, guarded_by_the_first_row, "far from zero in all rows but the first differs in"),
        (rows(), lambda x: F.normalize(x, dim=-1), lambda x: x / x.norm(dim=-1, keepdim=True), "all zero has NaN"),
        (rows(), F.softplus, lambda x: (1 + x.exp()).log(), "1024 times as large has inf"),
        (lambda: (torch.randn(99),), ranks, lambda x: x.argsort().argsort(), "tied differs in"),
        (rows(), lambda x: x.clamp(-9, 9), torch.clone, "1024 times as large differs in"),
        (rows(), lambda x: x * 2, lambda x: torch.as_strided(x, x.shape, (37, 1)) * 2, "in strided memory has NaN"),
        (
            rows(),
            lambda x: x * 2,
            lambda x: x * (2 if float(x.abs().max()) < 99 else 3),
            "1024 times as large differs in",
        ),
        (rows(), torch.tanh, lambda x: torch.tanh(x) if float(x[-1, -1]) < 99 else 1 / 0, "raises ZeroDivisionError"),
    ],
)
def test_what_is_right_for_drawn_values_only_is_found(draw, function, variant, words):
    said = problem(draw, in_double(function), function, variant)
    assert said.startswith("optimized with values ") and words in said, said
    assert "declare the `domain` of the argument" in said


def test_a_variance_in_one_pass_is_found_in_double_precision_too():
    def wide(x):
        return x.astype("longdouble").var(-1)

    def variant(x):
        return (x**2).mean(-1) - x.mean(-1) ** 2

    def draw():
        return (numpy.random.randn(9, 37),)

    tolerance = dict(rtol=1e-10, atol=1e-12)
    assert "far from zero" in problem(draw, wide, lambda x: x.var(-1), variant, tolerance=tolerance)
    assert problem(draw, wide, lambda x: x.var(-1), lambda x: numpy.var(x, -1), tolerance=tolerance) == ""


def shifted_softmax(x):
    grown = (x - x.amax(-1, keepdim=True)).exp()
    return grown / grown.sum(-1, keepdim=True)


def layer_norm(x):
    return F.layer_norm(x, x.shape[-1:])


def layer_norm_by_hand(x):
    return (x - x.mean(-1, keepdim=True)) * (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()


def attention(q, k, v):
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


def three(shape):
    return lambda: tuple(torch.randn(3, *shape))


@pytest.mark.parametrize(
    ("draw", "function", "variant"),
    [
        (rows(), softmax, shifted_softmax),
        (rows(), centred_square, lambda x: x.var(-1, unbiased=False)),
        (rows(), layer_norm, layer_norm_by_hand),
        (rows(), lambda x: x @ x.T, lambda x: (x[:, None] * x[None]).sum(-1)),
        (rows(), lambda x: x.sum(-1), lambda x: x.flip(-1).cumsum(-1)[:, -1].clone()),
        (three((99,)), torch.addcmul, lambda a, b, c: a + b * c),
        (three((2, 17, 8)), attention, F.scaled_dot_product_attention),
        (rows(dtype=torch.bfloat16), lambda x: (x.double() * 3).to(x.dtype), lambda x: x + x + x),
    ],
)
def test_another_order_of_the_same_operations_is_right_everywhere(draw, function, variant):
    tolerance = dict(float32=dict(rtol=1e-5, atol=1e-5), bfloat16=dict(rtol=1e-2, atol=1e-2))
    for _ in range(5):
        said, tried, _ = check(draw, in_double(function), function, variant, tolerance=tolerance)
        assert said == "" and "in strided memory" in tried


@pytest.mark.parametrize(
    ("function", "variant"),
    [
        (lambda x: x.argmax(-1), lambda x: x.shape[-1] - 1 - x.flip(-1).argmax(-1)),
        (lambda x: x.argsort(stable=True), lambda x: x.shape[-1] - 1 - x.flip(-1).argsort(stable=True)),
        (lambda x: x.argsort(descending=True, stable=True)[:, :4].clone(), lambda x: x.topk(4).indices),
        (lambda x: x.sort().values, lambda x: x.flip(-1).sort().values),
    ],
)
def test_another_choice_among_equals_is_no_error(function, variant):
    for _ in range(3):
        assert problem(rows(), function, function, variant, tolerance=EXACT) == ""


def test_payloads_that_are_sorted_by_equal_keys_may_come_in_any_order():
    def draw():
        return torch.randn(50), torch.randn(50)

    def stable(keys, payload):
        return payload[keys.argsort(stable=True)]

    def reverse(keys, payload):
        return payload.flip(0)[keys.flip(0).argsort(stable=True)]

    assert problem(draw, stable, stable, reverse, tolerance=EXACT) == ""


def test_zeros_that_a_sparse_matrix_stores_are_no_error():
    def stored(x):
        return scipy.sparse.coo_array((x, (numpy.arange(9), numpy.arange(9)))).tocsr()

    def pruned(x):
        found = stored(x)
        found.eliminate_zeros()
        return found

    draw = lambda: (numpy.random.rand(9),)  # noqa: E731
    assert problem(draw, stored, pruned, stored) == "" == problem(draw, stored, stored, pruned)
    assert "1024 times as large differs" in problem(draw, stored, stored, lambda x: stored(numpy.minimum(x, 2.0)))


def test_a_raise_for_strided_memory_is_only_said():
    def careful(x):
        assert x.is_contiguous()
        return x * 2

    said, _, notes = check(rows(), lambda x: x.double() * 2, lambda x: x * 2, careful)
    assert said == ""
    assert notes == ["optimized with values in strided memory raises AssertionError, the baseline does not"]


def test_where_the_reference_or_the_baseline_is_not_right_nothing_is_asked():
    def unstable(x):
        return x.exp() / x.exp().sum(-1, keepdim=True)

    def logarithm(x):
        return x.abs().log()

    def factor(x):
        return torch.linalg.cholesky(x @ x.T)

    assert problem(rows(), in_double(logarithm), logarithm, lambda x: logarithm(x) if x.any() else 1 / 0) == ""
    assert problem(rows(), in_double(softmax), unstable, lambda x: unstable(x)) == ""
    assert problem(rows(5, 9), in_double(factor), factor, lambda x: torch.linalg.cholesky_ex(x @ x.T).L) == ""


def contract(names, **declared):
    plain = dict(constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")
    return Contract(names, **{**plain, **declared})


def changes(*arguments, **declared):
    names = tuple(f"x{place}" for place in range(len(arguments)))
    return dict(extremes.transformed(arguments, contract(names, **declared)))


@pytest.mark.parametrize(
    "leaf",
    [
        (torch.rand(99) < 0.5).float(),
        torch.where(torch.ones(9, 9).tril() > 0, 0.0, -math.inf),
        torch.randint(256, (99,)).float(),
        torch.randn(9, 9) @ torch.eye(9) * 0 + torch.randn(9, 1) * torch.randn(1, 9) * 0 + torch.eye(9) * 3,
        (lambda a: a @ a.T + torch.eye(9))(torch.randn(9, 9)),
        torch.randn(9, 5).softmax(-1),
        F.normalize(torch.randn(9, 5), dim=-1),
        torch.randint(9, (9,)),
        torch.randn(9, dtype=torch.complex64),
        torch.randn(1),
        0.5,
        "text",
    ],
)
def test_masks_counts_and_structures_are_left_alone(leaf):
    assert changes(leaf) == {}


def test_constants_and_what_only_inputs_draws_are_left_alone():
    values = torch.randn(9), torch.randn(9)
    assert changes(*values, constant=("x0",), domain=dict(x1="drawn")) == {}
    for what, (first, second) in changes(*values, constant=("x0",)).items():
        assert first is values[0] and not torch.equal(second, values[1]), what


def test_values_stay_in_their_domain_and_in_the_range_of_their_type():
    for (x,) in changes(torch.rand(99), domain=dict(x0=(0.0, 1.0))).values():
        assert float(x.min()) >= 0 and float(x.max()) <= 1
    assert all(bool(x.isfinite().all()) for (x,) in changes(100 * torch.randn(99).half()).values())
    assert "1024 times as large" not in changes(torch.randn(99), lowers_precision="fp16")
    assert "1024 times as large" in changes(torch.randn(99), lowers_precision="bf16")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("descending", [False, True])
def test_sorted_values_stay_sorted_and_signs_and_zeros_stay(sign, descending):
    values = sign * torch.rand(99)
    values[::7] = 0
    values = values.sort(descending=descending).values
    found = changes(values)
    assert {*extremes.CHANGES} - {*found} == {"far from zero in all rows but the first"}  # there is one row
    for what, (x,) in found.items():
        assert torch.equal(x, x.sort(descending=descending).values), what
        assert bool((sign * x >= 0).all()) and bool((x[values == 0] == 0).all()), what


def test_of_many_values_a_mask_picks_a_sample():
    """On a GPU the places of all that a mask picks take twice the memory of the values in double precision."""

    class Picked(TorchDispatchMode):
        most = 0

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function is torch.ops.aten.index.Tensor:
                self.most = max(self.most, args[0].numel())
            return function(*args, **(kwargs or {}))

    values = torch.randn(4, 2 * extremes.SAMPLE)
    with Picked() as picked:
        found = changes(values)
    assert len(found) == len(extremes.CHANGES) and 0 < picked.most < 2 * extremes.SAMPLE


def first_column(value, width=16):
    def draw():
        x = torch.randn(65536, width)
        x[:, 0] = value(x[:, 0])
        return (x,)

    return draw


@pytest.mark.parametrize(
    ("draw", "function", "variant", "words"),
    [
        (
            first_column(lambda x: math.nan),
            torch.nan_to_num,
            lambda x: x.nan_to_num().clamp(-9, 9),
            "1024 times as large",
        ),
        (
            first_column(lambda x: 1e-9 * x),
            in_double(centred_square),
            lambda x: x.square().mean(-1) - x.mean(-1).square(),
            "far from zero differs in",
        ),
    ],
)
def test_a_sample_of_many_values_leaves_no_column_out(draw, function, variant, words):
    """The first day of returns is NaN: that the rest is free to be changed must still be seen."""
    assert words in problem(draw, in_double(function), function, variant)


def test_changes_for_which_memory_has_no_room_are_named_and_the_others_tried(monkeypatch):
    def too_large(x, _):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setitem(extremes.CHANGES, "too large", too_large)
    said, tried, notes = check(rows(), lambda x: x.double() * 2, lambda x: x * 2, lambda x: x + x)
    assert said == "" and "1024 times as large" in tried and "too large" not in tried
    assert notes == ["values too large were not tried: memory has no room for them beside the drawn ones"]


def test_lists_arrays_and_gradients_are_changed_in_kind():
    leaf = torch.randn(9, requires_grad=True)
    for found, array in changes([leaf, torch.randn(3, 3)], numpy.random.rand(9).astype("float32")).values():
        assert found[0].requires_grad and found[0].dtype == torch.float32
        assert array.dtype == numpy.float32


def test_one_reference_call_per_change_and_no_more_if_all_is_well():
    calls = []
    case = make_case(rows(), lambda x: calls.append(1) or x.double() * 2, lambda x: x * 2, lambda x: x + x)
    calls.clear()
    assert extremes.check(case)[0] == "" and len(calls) == len(extremes.CHANGES)


def test_a_lowered_format_explains_what_it_loses():
    def half(x):
        return layer_norm(x.bfloat16()).float()

    declared = dict(tolerance=dict(rtol=2e-2, atol=3e-2), lowers_precision="bf16")
    for _ in range(5):
        assert problem(rows(), in_double(layer_norm), layer_norm, half, **declared) == ""


def test_a_saturated_slope_that_bf16_decides_is_explained_in_every_draw():
    """One try of rounded arguments left out the element that bf16 turns, in about one draw of seven."""
    pair = SimpleNamespace(**runpy.run_path(str(ROOT / "chapters" / "ch13_pytorch" / "autocast_bf16.py")))
    declared = dict(tolerance=pair.tolerance, names=("x", "y", "weights"), constant=pair.constant)
    for seed in range(20):
        torch.manual_seed(seed)
        sides = pair.reference, pair.baseline, pair.optimized
        assert problem(lambda: pair.inputs(**pair.smoke), *sides, lowers_precision="bf16", **declared) == ""


def test_a_variant_that_is_wrong_on_another_rank_ends_the_check_on_all():
    """All ranks make the same calls: what one of them finds, all act on."""
    calls = []

    def reference(x):
        calls.append(1)
        return x.double() * 2

    answers = iter([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0])  # of all ranks: the sixth question is: is it wrong?
    case = make_case(rows(), reference, lambda x: x * 2, lambda x: x + x)
    case.agree = lambda _: next(answers)
    calls.clear()
    said, detail, _ = extremes.check(case)
    assert said == "" and "wrong on another rank" in detail
    assert len(calls) == 1 + 2 + len(extremes.ROUNDINGS)  # the changed values, and those near them
