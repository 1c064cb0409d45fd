"""A variant that counts on what `inputs` happens to draw is named, and one that follows the baseline is not."""

import random

import numpy
import pytest
import torch
from torch import nn

from perfproof.worker.verify import never_drawn
from perfproof.worker.verify.case import Contract

TOLERANCE = dict(rtol=1e-5, atol=1e-6)


def said(draw, baseline, optimized, cut=True, **declared):
    """What is said of the variant, without its name."""
    names = tuple(f"a{at}" for at in range(len(draw())))
    declared = dict(constant=(), mutates=(), tolerance=TOLERANCE, lowers_precision="", device="cpu") | declared
    contract = Contract(names=names, **declared)

    def calling(function):
        def call(own):
            result = function(*own)
            return result, {name: own[names.index(name)] for name in contract.mutates}

        return call

    sides = dict(baseline=calling(baseline), optimized=calling(optimized))
    found = never_drawn.check(contract, sides, sides, [draw() for _ in range(3)], cut)
    return found[0].removeprefix("optimized does not follow the baseline for ") if found else ""


def rows():
    return (torch.rand(32, 24),)


def numbers():
    return ([random.randrange(1, 1000) for _ in range(50)],)


def words():
    return (" ".join(random.choice(["one", "two", "three"]) for _ in range(40)),)


def whole():
    return (numpy.random.randint(0, 100, 64).astype("int32"),)


def with_masked_rows(x):
    dead = torch.isinf(x).all(1, keepdim=True)
    return torch.where(dead, 0.0, torch.softmax(torch.where(dead, 0.0, x), 1))


def by_eights(x):
    return x[: len(x) // 8 * 8].square().sum(0)


@pytest.mark.parametrize(
    ("draw", "baseline", "optimized", "words_of_it"),
    [
        (rows, lambda x: x.abs().sum(1), lambda x: x.sum(1), "`a0` with values of both signs"),
        (rows, lambda x: x.nanmean(1), lambda x: x.mean(1), "`a0` with a NaN"),
        (rows, with_masked_rows, lambda x: torch.softmax(x, 1), "`a0` with a row of minus infinity"),
        (rows, lambda x: x.square().sum(0), by_eights, "arguments with another length"),
        (whole, lambda x: int((x.astype("int64") ** 3).max()), lambda x: int((x**3).max()), "large whole number"),
        (numbers, lambda xs: [v % 7 for v in xs], lambda xs: [v - int(v / 7) * 7 for v in xs], "both signs"),
        (numbers, lambda xs: max(xs, default=0), lambda xs: sorted(xs)[-1], "`a0` empty"),
        (words, lambda text: len(text.split()), lambda text: text.count(" ") + 1, "`a0` empty; `a0` with a tab"),
        (words, lambda text: text.upper(), lambda text: text.encode().upper().decode(), "letters beyond ASCII"),
        (lambda: (*rows(), 0.5), lambda x, a: a * x, lambda x, a: x / 2, "`a1` of another value"),
    ],
    ids=["sign", "nan", "masked row", "ragged", "overflow", "modulo", "empty", "spaces", "letters", "factor"],
)
def test_a_variant_that_counts_on_what_is_drawn_is_named(draw, baseline, optimized, words_of_it):
    assert words_of_it in said(draw, baseline, optimized)


@pytest.mark.parametrize(
    ("draw", "baseline", "optimized"),
    [
        (rows, lambda x: torch.stack([row.square().sum() for row in x]), lambda x: (x * x).sum(1)),
        (rows, lambda x: x.log(), lambda x: x.log2() * 0.6931471805599453),
        (whole, lambda x: numpy.bincount(x % 7, minlength=7), lambda x: numpy.histogram(x % 7, range(8))[0]),
        (numbers, sorted, lambda xs: numpy.sort(numpy.array(xs, dtype=int)).tolist()),
        (words, lambda text: sorted({*text.split()}), lambda text: sorted(dict.fromkeys(text.split()))),
        (lambda: (*rows(), 0.5), lambda x, a: a * x, lambda x, a: x.mul(a)),
        (lambda: (torch.rand(64).sort().values,), lambda x: x.sort().values + 1, lambda x: x + 1),
        (lambda: (torch.rand(9, 4), torch.randint(9, (20,))), lambda t, i: t[i], lambda t, i: t.index_select(0, i)),
    ],
    ids=["squares", "logarithm", "counts", "order", "words", "factor", "sorted", "places"],
)
def test_an_honest_variant_is_not_named(draw, baseline, optimized):
    assert said(draw, baseline, optimized) == ""


def test_memory_of_one_size_and_a_declared_domain_are_lawful():
    kept = torch.empty(32, 24)
    assert said(rows, lambda x: x.exp(), lambda x: torch.exp(x, out=kept) if len(x) == 32 else 1 / 0) == ""
    absolute = (rows, lambda x: x.abs().sum(1), lambda x: x.sum(1))
    assert said(*absolute, domain=dict(a0="drawn")) == said(*absolute, domain=dict(a0=(0.0, 1.0))) == ""


def layer():
    return nn.Linear(8, 8), torch.randn(4, 8)


def layer_without_bias():
    made, x = layer()
    nn.init.zeros_(made.bias)
    return made, x


@pytest.mark.parametrize("draw", [layer, layer_without_bias])
def test_a_bias_of_zero_is_exchanged_and_a_drawn_one_is_not(draw):
    found = said(draw, lambda m, x: m(x).detach(), lambda m, x: (x @ m.weight.T).detach(), constant=("a0",))
    assert ("other values of bias" in found) == (draw is layer_without_bias)
    assert said(draw, lambda m, x: m(x).detach(), lambda m, x: (x @ m.weight.T + m.bias).detach()) == ""


def training():
    model = nn.Linear(6, 3)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2), torch.randn(8, 6)


def step(model, optimizer, x):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()


def without_decay(model, optimizer, x):
    (group,) = optimizer.param_groups
    kept, group["weight_decay"] = group["weight_decay"], 0.0
    step(model, optimizer, x)
    group["weight_decay"] = kept


def test_a_weight_decay_that_is_left_out_is_named():
    assert "`a1` with another weight_decay" in said(training, step, without_decay, mutates=("a0", "a1"))
    assert said(training, step, lambda *own: step(*own), mutates=("a0", "a1")) == ""
