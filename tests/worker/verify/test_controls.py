"""The checker's own test: a tolerance that passes a wrong answer is refused, whatever shape the answer has."""

import itertools
import math

import numpy
import pytest
import torch

from perfproof.core.tolerance import DEFAULT_TOLERANCE
from perfproof.worker.verify import controls
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.side_by_side import side_by_side
from perfproof.worker.verify.training_state import changed_by_reference
from tests.core.kinds import every_kind, three
from tests.worker.verify.test_compare_state import changed, trained

TIGHT = dict(rtol=1e-5, atol=1e-6)


def check(reference, arguments=(), example=None, tolerance=TIGHT, another=None):
    draw = (reference, arguments, reference if example is None else example)
    return controls.test_the_checker([draw], tolerance, another)


def test_a_tight_tolerance_catches_every_wrong_answer():
    x = torch.randn(10, 10)
    found = check((x @ x).double(), (x,), x @ x)
    assert (found.name, found.result) == ("tolerance can fail", "pass")
    assert found.detail == "caught: zeros, noise, shuffled, off by one tile, the input"


def test_a_tolerance_that_cannot_fail_is_named_with_what_it_passes():
    found = check(torch.randn(10, 10), tolerance=dict(rtol=0.0, atol=10.0))
    assert found.result == "fail"
    assert found.detail.startswith("zeros passes: worst difference ")
    assert "100% of its elements are within it; tighten rtol and atol to the rounding of the output's" in found.detail


def test_a_tolerance_as_wide_as_the_spread_passes_noise():
    found = check(torch.rand(100) * 0.2 + 100.0, tolerance=dict(rtol=0.0, atol=5.0))
    assert found.result == "fail" and found.detail.startswith("noise passes")


def test_what_is_the_right_answer_by_chance_does_not_apply():
    x = torch.randn(100)
    found = check(x.double(), (x,), x)
    assert found.result == "pass"
    assert found.detail == "caught: zeros, noise, shuffled, off by one tile; not applicable: the input"


def test_zeros_that_are_right_do_not_apply_and_noise_does():
    found = check((torch.zeros(10), torch.randn(10)))
    assert found.result == "pass", found.detail


def test_values_over_many_powers_of_ten_have_each_its_own_scale():
    bits = numpy.random.default_rng(1).integers(0, 0x7F000000, 300, dtype=numpy.int32).view(numpy.float32)
    assert check(bits, tolerance=DEFAULT_TOLERANCE).result == "pass"
    assert check(bits.tolist(), tolerance=DEFAULT_TOLERANCE).result == "pass"
    found, _ = side_by_side(bits, bits * 1.01, DEFAULT_TOLERANCE)
    assert found[0].atol == 0
    spread, _ = side_by_side(numpy.ones(9), numpy.geomspace(1.0, 1e9, 9), DEFAULT_TOLERANCE)
    zeros, _ = side_by_side(numpy.ones(9), numpy.array([*[0.0] * 8, 1e9]), DEFAULT_TOLERANCE)
    assert spread[0].atol > 0 < zeros[0].atol


def test_every_part_is_tested_by_itself():
    keyed = dict(float32=TIGHT, float16=dict(rtol=0.0, atol=100.0))
    found = check({"good": torch.randn(10), "bad": torch.randn(10).half()}, tolerance=keyed)
    assert found.result == "fail" and found.detail.startswith("zeros passes for part bad")


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_an_infinite_element_does_not_excuse_the_tolerance(odd):
    answer = torch.randn(100)
    answer[7] = odd
    assert check(answer, tolerance=dict(rtol=0.0, atol=10.0)).result == "fail"
    assert check(answer).result == "pass"


@pytest.mark.parametrize("nothing", [torch.empty(0), torch.full((5,), math.nan), None, ()])
def test_a_result_without_values_is_refused(nothing):
    found = controls.test_the_checker([(nothing, (), nothing)], TIGHT)
    assert found.result == "fail"
    said = "returns None" if nothing is None else "only 0 wrong answers apply: return more than a constant"
    assert said in found.detail


@pytest.mark.parametrize(
    "answer",
    [
        torch.randint(0, 100, (50,)),
        torch.rand(50) < 0.5,
        torch.randn(50, dtype=torch.complex64),
        torch.randn(50).bfloat16(),
        torch.randn(50).to(torch.float8_e4m3fn),
        torch.randn(1),
        torch.tensor(3.0),
        numpy.random.randn(50),
        numpy.random.randint(0, 100, 50),
        numpy.random.rand(50) < 0.5,
        3.5,
        7,
        2**63 + 5,
        2**80,
        True,
        1 + 2j,
        "text",
        b"bytes",
    ],
    ids=lambda answer: f"{type(answer).__name__}-{getattr(answer, 'dtype', '')}",
)
def test_controls_can_be_made_of_every_kind_of_answer(answer):
    found = check(answer)
    assert found.result == "pass", found.detail
    assert "zeros" in found.detail or "noise" in found.detail


def test_controls_have_the_example_s_type():
    wrong = dict(controls.wrong_answers(torch.randn(50).half(), ()))
    assert {value.dtype for value in wrong.values()} == {torch.float16}
    arrays = dict(controls.wrong_answers(numpy.random.randn(50).astype(numpy.float32), ()))
    assert {value.dtype for value in arrays.values()} == {numpy.dtype("float32")}


def test_the_answer_itself_is_left_alone():
    answer = torch.randn(50)
    before = answer.clone()
    list(controls.wrong_answers(answer, ()))
    assert torch.equal(answer, before)


def columns(size, share, small=0.1, large=300.0):
    """An answer with a few large values."""
    return torch.randn(size) * torch.where(torch.arange(size) % round(1 / share) == 0, large, small)


@pytest.mark.parametrize(
    ("answer", "tolerance", "passes"),
    [
        (columns(1_000, 1 / 16), dict(rtol=1e-3, atol=1.0), "zeros"),  # set by the largest
        (288.0 + 0.07 * torch.randn(1_000), dict(rtol=5e-3, atol=0.0), "noise"),  # a constant passes
        (torch.rand(65_536).double().cumsum(0), dict(rtol=0.0, atol=65.0), "off by one tile"),  # set by the last
        (torch.randn(1_000).to(torch.float8_e4m3fn), dict(rtol=0.0, atol=10.0), "zeros"),  # no room for coarse types
    ],
)
def test_a_control_with_most_elements_within_the_tolerance_passes(answer, tolerance, passes):
    found = check(answer, tolerance=tolerance)
    assert found.result == "fail" and found.detail.startswith(f"{passes} passes"), found.detail
    assert "of its elements are within it" in found.detail


def test_the_input_is_a_control_whichever_argument_it_is():
    x = torch.randn(100)
    found = check((x + 1e-4).double(), (torch.randn(100), x), x, dict(rtol=1e-3, atol=1e-3))
    assert found.result == "fail" and found.detail.startswith("the input passes")


@pytest.mark.parametrize(
    ("answer", "tolerance"),
    [
        (torch.rand(1_000_000).cumsum(0), dict(rtol=1e-4, atol=1e-4)),  # next to its neighbours by float32's rounding
        (torch.randn(20_000).bfloat16().sort().values, dict(rtol=1e-2, atol=1e-3)),
        (torch.nn.functional.one_hot(torch.randint(50, (64,)), 50).float(), dict(rtol=0.0, atol=0.0)),  # mostly zero
        (torch.relu(torch.randn(1_000)), TIGHT),
        (101_325.0 + torch.randn(1_000).double(), dict(rtol=1e-14, atol=1e-9)),
    ],
)
def test_an_honest_tolerance_for_an_answer_of_an_odd_shape_is_kept(answer, tolerance):
    found = check(answer, (torch.rand(len(answer), 1),), tolerance=tolerance)
    assert found.result == "pass", found.detail


def test_of_many_arguments_of_a_shape_those_in_the_place_of_the_part_are_tried():
    rows = [[torch.randn(9) for _ in range(60)] for _ in range(3)]
    right = [row + 1e-4 for row in rows[2]]  # nearly the third list
    found = check(right, tuple(rows), tolerance=dict(rtol=1e-3, atol=1e-3))
    assert found.result == "fail" and found.detail.startswith("the input passes for part 0")


def test_the_number_of_controls_grows_with_the_parts_and_not_with_their_square(monkeypatch):
    judged = []
    monkeypatch.setattr(controls, "judge", lambda *_: judged.append(1) or (controls.CAUGHT, controls.Difference()))
    for parts in (20, 40):
        judged.clear()
        check([torch.randn(5) for _ in range(parts)], ([torch.randn(5) for _ in range(parts)],))
        assert len(judged) <= parts * (4 + controls.INPUTS)


def test_the_answer_to_another_draw_decides_for_one_number():
    losses = iter([3.99, 4.01, 4.02, 3.98])
    loose = dict(rtol=5e-2, atol=0.0)
    found = check(torch.tensor(4.0), tolerance=loose, another=lambda: torch.tensor(next(losses)))
    assert found.result == "fail" and found.detail.startswith("the answer to another draw passes")
    assert next(losses, None) is None  # it was tried four times
    found = check(torch.tensor(4.0), tolerance=TIGHT, another=lambda: torch.tensor(4.01))
    assert found.result == "pass" and "the answer to another draw" in found.detail


@pytest.mark.parametrize(("tolerance", "result"), [(DEFAULT_TOLERANCE, "pass"), ({"rtol": 1e-4, "atol": 1e-8}, "fail")])
def test_a_small_part_that_hardly_knows_the_draw_is_refused_only_if_a_tolerance_could_be_tightened(tolerance, result):
    """As the gradient of a bias that is mostly a penalty."""
    fixed = 2e-4 * torch.rand(64)

    def answer():
        return torch.randn(64, 64), fixed * (1 + 1e-6 * torch.randn(64))

    assert check(answer(), tolerance=tolerance, another=answer).result == result


def test_a_large_part_that_every_draw_gives_alike_is_refused_without_a_tolerance_too():
    fixed = torch.rand(64, 64)

    def answer():
        return torch.randn(64), fixed * (1 + 1e-6 * torch.randn(64, 64))

    found = check(answer(), tolerance=DEFAULT_TOLERANCE, another=answer)
    assert found.detail.startswith("the answer to another draw passes for part 1")


def test_two_draws_that_are_alike_by_chance_are_followed_by_another():
    others = iter([4.00001, 3.7])
    assert check(torch.tensor(4.0), another=lambda: torch.tensor(next(others))).result == "pass"


def test_draws_of_another_length_are_not_compared():
    assert check(torch.randn(10), another=lambda: torch.randn(11)).result == "pass"
    assert check([1.0, 2.0], another=lambda: [1.0]).result == "pass"


def test_a_right_answer_that_is_empty_now_and_then_is_looked_at_in_another_draw():
    empty, full = ([], (), []), (["a", "b"], (), ["a", "b"])
    assert controls.test_the_checker([empty, empty], TIGHT).result == "fail"
    assert controls.test_the_checker([empty, full], TIGHT).result == "pass"


def test_all_ranks_ask_for_another_draw_if_one_does():
    asked, said = [], itertools.chain([0.0], itertools.repeat(1.0))  # no control passes; another draw does elsewhere
    controls.test_the_checker(
        [(torch.randn(5), (), torch.zeros(5))], TIGHT, lambda: asked.append(1) or torch.randn(5), lambda _: next(said)
    )
    assert len(asked) == controls.DRAWS


def test_a_control_that_passes_on_one_rank_ends_the_test_on_all():
    asked = []
    found = controls.test_the_checker(
        [(torch.randn(50), (), torch.zeros(50))] * 3,
        dict(rtol=0.0, atol=100.0),
        lambda: asked.append(1) or torch.randn(50),
    )
    assert found.result == "fail" and asked == []
    elsewhere = iter([1.0, 1.0])  # this rank is well, another one is not
    controls.test_the_checker(
        [(torch.randn(50), (), torch.zeros(50))] * 3, TIGHT, lambda: asked.append(1), lambda _: next(elsewhere)
    )
    assert asked == [] and next(elsewhere, None) is None


@every_kind
def test_wrong_answers_can_be_made_of_every_kind_of_value(make):
    value, again, other = three(make)
    found = check(value, (other,), again, another=lambda: other)
    assert found.result == "pass", found.detail


def test_a_tolerance_for_large_parts_of_state_catches_wrong_small_ones():
    loose = dict(rtol=1e-3, atol=1e-3)
    assert check(trained(), example=trained(), tolerance=loose).result == "pass"
    found = check(trained(), example=trained(), tolerance=dict(rtol=1e-3, atol=2.0))
    assert found.result == "fail" and found.detail.startswith("zeros passes for part")


def test_parts_of_state_that_are_zero_in_the_reference_do_not_apply():
    zeros = changed("exp_avg_sq", torch.zeros_like)
    assert check(zeros, example=zeros, tolerance=dict(rtol=1e-3, atol=1e-3)).result == "pass"


def test_a_part_of_state_that_is_all_rounding_is_not_tested_and_its_siblings_are():
    layer = trained()[0]
    layer.bias.grad *= 1e-9
    assert check(layer, example=layer, tolerance=dict(rtol=1e-3, atol=1e-3)).result == "pass"
    assert check(layer, example=layer, tolerance=dict(rtol=1e-3, atol=2.0)).result == "fail"


def test_a_norm_that_ends_alike_in_two_draws_is_no_proof_that_a_tolerance_is_loose():
    def state(spread):
        model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64))
        with torch.no_grad():
            model[0].weight.copy_(1 + spread * torch.randn(64, 64))
            model[1].weight.copy_(1 + 0.01 * torch.linspace(-1, 1, 64) + 1e-5 * torch.randn(64))
        return model

    declared = dict(tolerance=dict(rtol=1e-4, atol=1e-5))
    first, alike = state(1.0), state(0.0)
    assert check(first, example=first, another=lambda: state(1.0), **declared).result == "pass"
    with torch.no_grad():
        alike.load_state_dict({**first.state_dict(), "0.weight": first[0].weight + 1e-5 * torch.randn(64, 64)})
    found = check(first, example=first, another=lambda: alike, **declared)
    assert found.detail.startswith("the answer to another draw passes for part 0.weight"), found.detail


def test_other_parts_than_the_baseline_s_are_told_in_words():
    found = controls.test_the_checker([((torch.ones(2), 1.0), (), torch.ones(2))], TIGHT)
    assert found.result == "fail" and "the baseline is a Tensor" in found.detail


@pytest.mark.parametrize("kind", [torch.tensor, numpy.array])
def test_of_a_large_part_a_sample_of_blocks_is_tested(kind, monkeypatch):
    monkeypatch.setattr(controls, "MOST", 64)
    monkeypatch.setattr(controls, "BLOCK", 8)
    sample = controls._sample(kind([float(at) for at in range(1_000)]))
    rows = sample.reshape(8, 8)
    assert rows[0][0] == 0 and rows[7][0] == 987 and bool((rows[:, 1:] - rows[:, :-1] == 1).all())
    x = torch.randn(999)
    assert check((x + 1).double(), (x,), x).result == "pass"
    found = check((x + 1e-4).double(), (x,), x, dict(rtol=1e-3, atol=1e-3))
    assert found.result == "fail" and found.detail.startswith("the input passes")


def stepped(moved):
    """The answer of a call that has moved its argument `p` by this."""
    before = torch.linspace(-2, 2, len(moved))
    return None, changed_by_reference({"p": before + moved}, {"p": before})


def test_a_small_step_in_place_is_told_from_none_without_a_declared_tolerance():
    moved = 1e-4 * torch.randn(1_000)
    right = stepped(moved)
    assert check(right, (right[1].before["p"],), tolerance=DEFAULT_TOLERANCE).result == "pass"
    assert difference(stepped(moved * 1.5), right, DEFAULT_TOLERANCE).problem
    assert not difference(stepped(moved * 1.001), right, DEFAULT_TOLERANCE).problem
    assert not difference(stepped(moved * 1.5), right, dict(rtol=1e-3, atol=1e-3)).problem


def test_four_losses_of_a_training_run_are_never_refused_by_chance():
    torch.manual_seed(7)
    losses = torch.tensor([6.3, 6.2, 6.05, 5.85], dtype=torch.float64)
    for _ in range(200):
        found = check(losses, tolerance=dict(rtol=6e-3, atol=0.0))
        assert found.result == "pass", found.detail
    assert check(losses, tolerance=dict(rtol=0.1, atol=0.0)).detail.startswith("noise passes")


def test_of_very_many_parts_some_are_asked(monkeypatch):
    judged = []
    real = controls.judge
    monkeypatch.setattr(controls, "judge", lambda *given: judged.append(1) or real(*given))
    found = check([torch.randn(3, 2) for _ in range(5_000)])
    assert found.result == "pass" and 0 < len(judged) < 10 * controls.MOST_PARTS
    loose = check([torch.randn(3, 2) for _ in range(5_000)], tolerance=dict(rtol=0.0, atol=10.0))
    assert loose.result == "fail"
