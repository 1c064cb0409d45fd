"""Verification as the worker does it: a small pool, sides of plain functions, and what is found about them."""

import itertools

import numpy
import pytest
import torch

from perfproof.worker import verification
from perfproof.worker.load import Side
from perfproof.worker.verification import Contract, Findings, judge_precision, verify_sides
from perfproof.worker.verify.oracle import Oracle

LOOSE, WIDE = dict(rtol=2e-2, atol=5e-1), dict(rtol=5e-2, atol=3.0)


class Pool:
    """What the worker's pool offers."""

    def __init__(self, inputs, constants=()):
        self.inputs, self.first, self.constants = inputs, inputs(), constants
        self.drawn = []

    def draw_everything(self):
        return self.inputs()

    def draw(self):
        pairs = zip(self.first, self.inputs(), strict=True)
        self.drawn.append(tuple(old if at in self.constants else new for at, (old, new) in enumerate(pairs)))
        return self.drawn[-1]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(verification.leftovers, "after_call", lambda *_: None)


def verified(inputs, reference, *functions, repeats=3, tolerance=LOOSE, may_leave=False, **declared):
    pool = Pool(inputs)
    names = tuple(f"x{place}" for place in range(len(pool.first)))
    plain = dict(constant=(), mutates=(), lowers_precision="", device="cpu")
    contract = Contract(names, tolerance=tolerance, **{**plain, **declared})
    pool.constants = [names.index(name) for name in contract.constant]
    kinds = ("baseline", "optimized", "optimized_b")
    sides = [Side(kinds[at], function, None) for at, function in enumerate(functions)]
    findings = Findings()
    where = dict(where="smoke sizes", last=True, first=True, may_leave=may_leave)
    verify_sides(sides, pool, reference, contract, findings, repeats=repeats, **where)
    if not findings.failed:
        judge_precision(findings, contract)
    return findings


def problem(*arguments, **declared):
    checks = verified(*arguments, **declared).checks.values()
    return next((f"{check.name}: {check.detail}" for check in checks if check.result == "fail"), "")


def product():
    return torch.randn(40, 64), torch.randn(64, 48)


def exactly(x, y):
    return x.double() @ y.double()


def rounded_to(bits):
    def call(x, y):
        step = [one.abs().amax().clamp(min=1e-30) / 2 ** (bits - 1) for one in (x, y)]
        return ((x / step[0]).round() * step[0]) @ ((y / step[1]).round() * step[1])

    return call


@pytest.mark.parametrize(
    ("variant", "declared", "words"),
    [
        (lambda x, y: (x.half() @ y.half()).float(), {}, "more than twice; compute in the baseline's precision"),
        (lambda x, y: (x.bfloat16() @ y.bfloat16()).float(), {}, "more than twice"),
        (rounded_to(8), {}, "more than twice"),
        (rounded_to(6), dict(lowers_precision="bf16", tolerance=WIDE), "more than twice, and more than bf16 loses"),
        (lambda x, y: (x.bfloat16() @ y.bfloat16()).float(), dict(lowers_precision="tf32"), "more than tf32 loses"),
        (lambda x, y: 0.97 * (x @ y), dict(lowers_precision="fp16"), "more than fp16 loses"),
    ],
)
def test_a_less_precise_answer_is_declared_and_explained_by_its_format(variant, declared, words):
    said = problem(product, exactly, lambda x, y: x @ y, variant, **declared)
    assert said.startswith("precision: optimized has ") and words in said, said


@pytest.mark.parametrize(
    ("variant", "lowered"),
    [
        (lambda x, y: (x.half() @ y.half()).float(), "fp16"),
        (lambda x, y: (x.bfloat16() @ y.bfloat16()).float(), "bf16"),
        (rounded_to(8), "int8"),
        (lambda x, y: x.to(torch.float8_e4m3fn).float() @ y.to(torch.float8_e4m3fn).float(), "fp8"),
        (lambda x, y: (y.T @ x.T).T.contiguous(), ""),
    ],
)
def test_a_declared_format_may_lose_what_it_loses(variant, lowered):
    declared = dict(lowers_precision=lowered, tolerance=WIDE)
    assert problem(product, exactly, lambda x, y: x @ y, variant, **declared) == ""


def unread(x, y):
    return x.double() * 2


@pytest.mark.parametrize(
    ("seconds", "may_leave", "is_left"), [(0.0, True, True), (0.0, False, False), (9.0, True, False)]
)
def test_the_proof_is_left_to_smaller_sizes_only_if_calls_are_slow_and_there_are_such(
    monkeypatch, seconds, may_leave, is_left
):
    monkeypatch.setattr(verification, "SLOW_SECONDS", seconds)
    sides = [lambda x, y: x * 2] * 2
    found = verified(product, unread, *sides, may_leave=may_leave)
    assert found.proof_is_left == is_left
    failed = [check.detail for check in found.checks.values() if check.result == "fail"]
    assert not failed if is_left else "nothing proves that `x1` is read" in " ".join(failed)


def one(*shape, low=-1.0):
    return lambda: (low + torch.rand(*shape) * (1 - low),)


def sequential(x):
    total = numpy.float32(0)
    for value in x.numpy():
        total += value
    return torch.tensor(total)


@pytest.mark.parametrize(
    ("inputs", "reference", "baseline", "variant"),
    [
        # The baseline is rounded once, the variant adds in float32, one after the other.
        (one(4_000, low=0.0), lambda x: x.double().sum(), lambda x: x.double().sum().float(), sequential),
        (
            one(50_000, low=0.0),
            lambda x: x.double().cumsum(0),
            lambda x: x.double().cumsum(0).float(),
            lambda x: torch.from_numpy(numpy.cumsum(x.numpy())),
        ),
        # Digits cancel: the mean is 1,000 times the spread.
        (
            lambda: (torch.randn(9, 999) + 1_000,),
            lambda x: x.double() - x.double().mean(-1, keepdim=True),
            lambda x: (x.double() - x.double().mean(-1, keepdim=True)).float(),
            lambda x: x - torch.from_numpy(numpy.cumsum(x.numpy(), -1)[:, -1:]) / x.shape[-1],
        ),
        (one(999), lambda x: x.double().sum(), lambda x: x.sum(), lambda x: x.flip(0).cumsum(0)[-1].clone()),
        (one(99), lambda x: x.double(), lambda x: x.clone(), lambda x: x * 3 / 3),
    ],
)  # fmt: skip
def test_honest_rounding_beside_an_exact_baseline_is_no_loss(inputs, reference, baseline, variant):
    for _ in range(5):
        assert problem(inputs, reference, baseline, variant, tolerance=dict(rtol=1e-3, atol=5e-3)) == ""


def test_a_few_terms_do_not_excuse_another_precision():
    def half(x):
        return (x.half() * x.half()).float()

    tolerance = dict(rtol=1e-2, atol=1e-3)
    said = problem(one(100_000), lambda x: x.double() ** 2, lambda x: x * x, half, tolerance=tolerance)
    assert said.startswith("precision: ")


def test_float32_inside_float64_is_found():
    def narrow(a, b):
        return (a.astype("float32") @ b.astype("float32")).astype("float64")

    def inputs():
        return numpy.random.randn(50, 60), numpy.random.randn(60, 50)

    tolerance = dict(rtol=1e-4, atol=1e-4)
    assert "precision" in problem(inputs, lambda a, b: a @ b, lambda a, b: a @ b, narrow, tolerance=tolerance)
    declared = dict(tolerance=tolerance, lowers_precision="fp32")
    assert problem(inputs, lambda a, b: a @ b, lambda a, b: a @ b, narrow, **declared) == ""


def test_the_second_repeat_comes_in_the_memory_of_the_first():
    seen = {}

    def kept_under_an_address(x):
        return seen.setdefault(x.data_ptr(), x.clone() * 2).clone()

    said = problem(one(999), lambda x: x.double() * 2, lambda x: x * 2, kept_under_an_address)
    assert said.startswith("matches the reference at smoke sizes: optimized")


def test_every_repeat_is_another_draw():
    seen = []
    verified(one(9), lambda x: seen.append(x.clone()) or x.double() * 2, lambda x: x * 2, lambda x: x + x)
    assert not any(torch.equal(a, b) for a, b in itertools.pairwise(seen))


def test_each_rule_has_its_check():
    found = verified(product, exactly, lambda x, y: x @ y, lambda x, y: x @ y, tolerance=dict(rtol=1e-4, atol=1e-4))
    names = ("same layout", "tolerance can fail at smoke sizes", "every argument matters", "right at extremes")
    assert {*names, "precision"} <= set(found.checks)
    assert {check.result for check in found.checks.values()} == {"pass"}
    assert found.notes == []


@pytest.mark.parametrize(
    ("variant", "declared", "name"),
    [
        (lambda x, y: (y.T @ x.T).T, {}, "same layout"),
        (lambda x, y: x @ y, dict(tolerance=dict(rtol=0.0, atol=30.0)), "tolerance can fail at smoke sizes"),
        (lambda x, y: (x @ y).where(x.abs().max() < 99, torch.nan), {}, "right at extremes"),
    ],
)
def test_each_rule_stops_what_it_is_for(variant, declared, name):
    assert problem(product, exactly, lambda x, y: x @ y, variant, **declared).startswith(f"{name}: ")


def test_an_argument_that_does_not_matter_stops_the_pair():
    said = problem(product, lambda x, y: x.double() * 2, lambda x, y: x * 2, lambda x, y: x + x)
    assert said.startswith("every argument matters: nothing proves that `x1` is read")


def test_any_layout_can_be_declared():
    declared = dict(layout="any", tolerance=dict(rtol=1e-4, atol=1e-4))
    assert problem(product, exactly, lambda x, y: x @ y, lambda x, y: (y.T @ x.T).T, **declared) == ""


def test_strides_of_the_baseline_that_a_copy_would_lose_are_known():
    def first_half(x, y):
        return (x @ y)[:, ::2]

    tolerance = dict(rtol=1e-4, atol=1e-4)
    assert problem(product, lambda x, y: exactly(x, y)[:, ::2], first_half, first_half, tolerance=tolerance) == ""


def test_a_module_that_is_trained_in_place_is_verified_with_its_gradients():
    def inputs():
        layer = torch.nn.Linear(3, 3)
        return layer, torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9), torch.randn(5, 3)

    def step(layer, optimizer, x):
        layer(x.to(layer.weight.dtype)).square().mean().backward()
        optimizer.step()

    declared = dict(mutates=("x0", "x1"), tolerance=dict(rtol=1e-4, atol=1e-5))
    assert problem(inputs, step, step, step, **declared) == ""


def test_notes_are_said_and_fail_nothing():
    sides = (lambda x, piece: x * 2, lambda x, piece: x + x)
    tolerance = dict(rtol=1e-5, atol=1e-6)
    found = verified(lambda: (torch.randn(99), 7), lambda x, piece: x.double() * 2, *sides, tolerance=tolerance)
    assert not found.failed and len(found.notes) == 1 and "`x1`" in found.notes[0]


def scheduler_after(steps):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(2))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
    return optimizer, scheduler


@pytest.mark.parametrize(("steps", "words"), [(itertools.count(), ""), (itertools.repeat(3), "the same values for")])
def test_schedulers_are_other_values_if_their_numbers_are(steps, words):
    pool = Pool(lambda: scheduler_after(next(steps)))
    plain = dict(constant=(), mutates=(), lowers_precision="", device="cpu", tolerance=LOOSE)
    found = verification.sameness_problem(pool, Contract(("optimizer", "scheduler"), **plain))
    assert words in found and bool(words) == bool(found)


def steps_of(count):
    def integrate(x):
        for _ in range(count):
            x = x + x * (1 - x) / count
        return x

    return integrate


def test_what_only_the_declared_tolerance_lets_pass_is_said():
    """Values in double precision have no finer oracle, so nothing else judges the error."""

    def draw():
        return (torch.rand(50, dtype=torch.float64),)

    def notes(variant, **declared):
        oracle = Oracle(Side("baseline", steps_of(64), None))
        found = verified(draw, oracle, steps_of(64), variant, tolerance=dict(rtol=1e-2, atol=1e-2), **declared)
        return [one for one in found.notes if "only the declared tolerance" in one]

    (line,) = notes(steps_of(48))
    assert line.startswith("optimized differs from the baseline by up to 1e-03 of its size, where rounding explains ")
    assert notes(steps_of(48), lowers_precision="bf16") == []
    assert notes(lambda x: steps_of(64)(x + 0.0)) == []
