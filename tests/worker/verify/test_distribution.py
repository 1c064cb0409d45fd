"""Random results: honest sides pass whatever the distribution, wrong ones fail, and a check without power says so."""

import re

import numpy
import pytest
import torch

from perfproof.worker.verify import distribution
from perfproof.worker.verify.draws import choose_places

CLOSE = dict(rtol=1e-5, atol=1e-6)
LOGITS = torch.randn(9, 30, generator=torch.Generator().manual_seed(1))
X = torch.randn(12, 11, generator=torch.Generator().manual_seed(2))


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(distribution, "FIRST", 512)
    monkeypatch.setattr(distribution, "SECONDS", 20.0)  # other work on the core must not decide how many are drawn


def found(reference, *sides, tolerance=CLOSE):
    names = ("baseline", "optimized", "other")
    return distribution.check(reference, {names[at]: [side] for at, side in enumerate(sides)}, tolerance)


def tokens():
    return torch.multinomial(LOGITS.softmax(-1), 1).squeeze(-1)


def race(temperature=1.0):
    return (LOGITS / temperature - torch.empty_like(LOGITS).exponential_().log()).argmax(-1)


def dropout():
    return torch.nn.functional.dropout(X, 0.3)


def masked():
    return X * (torch.bernoulli(torch.full_like(X, 0.7)) / 0.7)


def normal():
    return torch.randn(33)


def box_muller():
    radius, angle = (-2 * torch.log1p(-torch.rand(17))).sqrt(), 2 * torch.pi * torch.rand(17)
    return torch.cat([radius * angle.cos(), radius * angle.sin()])[:33]


def shuffled():
    return torch.rand(13).argsort()


def token_and_its_logit():
    chosen = tokens()
    return {"token": chosen, "logit": LOGITS.gather(1, chosen[:, None]).squeeze(1)}


@pytest.mark.parametrize(
    ("reference", "side"),
    [
        (lambda: torch.multinomial(LOGITS.double().softmax(-1), 1).squeeze(-1), race),
        (lambda: torch.where(torch.rand(X.shape) < 0.7, X.double() / 0.7, 0.0), masked),
        (lambda: torch.randn(33, dtype=torch.float64), box_muller),
        (shuffled, lambda: torch.randperm(13)),
        (lambda: torch.randn(20, 30), lambda: torch.randn(20, 30).bfloat16()),
        (lambda: torch.empty(9).cauchy_(), lambda: (torch.pi * (torch.rand(9) - 0.5)).tan()),
        (lambda: numpy.random.poisson(3.0, 8), lambda: numpy.random.poisson(3.0, 8)),
        (lambda: float(torch.randn(())), lambda: float(torch.randn(()))),
        (token_and_its_logit, token_and_its_logit),
        (lambda: (torch.randn(9), X.double()), lambda: (torch.randn(9), X)),  # one part is no sample
        (lambda: X[0].where(torch.rand(11) < 0.5, -torch.inf), lambda: X[0].where(torch.rand(11) > 0.5, -torch.inf)),
        (lambda: torch.cat([torch.ones(3), torch.randn(30)]), lambda: torch.cat([torch.ones(3), torch.randn(30)])),
        (lambda: ["a", "b", "c"][int(torch.randint(3, ()))], lambda: "abc"[int(3 * torch.rand(()))]),
    ],
    ids=[
        "tokens",
        "dropout",
        "normal",
        "permutation",
        "bf16",
        "cauchy",
        "counts",
        "number",
        "parts",
        "fixed",
        "infinite",
        "masked",
        "text",
    ],
)
def test_another_way_to_draw_from_the_same_distribution_passes(reference, side):
    result = found(reference, side)
    assert (result.problem, result.powerless) == ("", "")
    assert "an honest pair fails once in 10,000; told apart: one sample repeated, each sample twice" in result.detail


def test_infinities_in_a_large_result_are_no_difference(monkeypatch):
    monkeypatch.setattr(distribution, "FIRST", 64)
    monkeypatch.setattr(distribution, "MOST", 64)

    def masked_out():
        return torch.where(torch.rand(12, 40) < 0.5, torch.randn(12, 40), 0.0).where(
            torch.rand(12, 40) < 0.9, -torch.inf
        )

    assert found(masked_out, masked_out).problem == ""


TABLE = torch.randn(200, 33, generator=torch.Generator().manual_seed(3))


class Replay:
    """A recorded stream, or each sample twice."""

    def __init__(self, draw, times=1, period=None):
        self.draw, self.times, self.calls = draw, times, 0
        self.recorded = [draw() for _ in range(period)] if period else None
        self.last = None

    def __call__(self):
        self.calls += 1
        if self.recorded:
            return self.recorded[self.calls % len(self.recorded)]
        if self.calls % self.times == 1 or self.last is None:
            self.last = self.draw()
        return self.last


def pushed_along():
    """A step of a walk instead of a draw: each depends on the one before."""
    state = [torch.randn(33)]

    def draw():
        state[0] = 0.8 * state[0] + 0.6 * torch.randn(33)
        return state[0]

    return draw


@pytest.mark.parametrize(
    ("reference", "side", "words"),
    [
        (tokens, lambda: race(1.2), "how likely the values are differ"),
        (tokens, lambda: tokens().roll(1), ""),
        (tokens, lambda: tokens()[:1].expand(9).clone(), ""),
        (dropout, lambda: X * torch.bernoulli(torch.full_like(X, 0.7)), ""),
        (dropout, lambda: X * torch.bernoulli(torch.full((12, 1), 0.7)) / 0.7, ""),
        (normal, lambda: 1.1 * torch.randn(33), ""),
        (
            normal,
            lambda: torch.cat([(half := torch.randn(17)), half])[:33],
            "equal values|go together|depend on each other",
        ),
        (normal, lambda: torch.cat([(half := torch.randn(17)), -half])[:33], ""),
        (normal, lambda: torch.randn(33).clamp(-1.5, 1.5), ""),
        (normal, lambda: TABLE[0], ""),
        (normal, Replay(normal, period=200), "pairs of draws are equal, 0 of the reference's"),
        (normal, Replay(normal, times=2), "pairs of draws are equal, 0 of the reference's"),
        (
            lambda: torch.rand(3) < 0.5,
            Replay(lambda: torch.rand(3) < 0.5, period=150),
            "calls apart depend|not the ref",
        ),
        (normal, pushed_along(), "calls apart depend on each other"),
        (shuffled, lambda: torch.randint(4, (13,)).argsort(stable=True), ""),
        (shuffled, lambda: torch.randint(13, (13,)), ""),
        (token_and_its_logit, lambda: {**token_and_its_logit(), "token": tokens()}, "depend on each other in another"),
        (
            lambda: (torch.randn(9), X),
            lambda: (torch.randn(9), X + 1e-3),
            "what is the same in every draw of \\[1\\] differs in",
        ),
        (normal, lambda: torch.randn(33).log(), "has NaN or infinity, no draw of the reference has"),
        (lambda: (torch.randn(9), X), lambda: (torch.randn(9), dropout()), "\\[1\\]"),
        (normal, lambda: torch.randn(34), r"has the shapes \[\(34,\)\]"),
    ],
)
def test_a_side_with_another_distribution_fails(reference, side, words):
    result = found(reference, reference, side)
    assert result.problem.startswith("optimized") and result.powerless == ""
    assert re.search(words, result.problem)


def test_a_stream_that_is_the_same_in_every_process_fails():
    def loaded():
        generator = torch.Generator().manual_seed(5)
        return lambda: torch.rand(3, generator=generator) < 0.5  # few values: draws are equal by chance too

    honest = lambda: torch.rand(3) < 0.5  # noqa: E731
    result = distribution.check(honest, {"baseline": [honest, honest], "optimized": [loaded(), loaded()]}, CLOSE)
    assert result.problem.startswith("optimized: draws that are")
    assert "calls apart depend on each other: draw anew in every call" in result.problem


def test_a_check_that_sees_too_few_draws_says_what_it_cannot_tell_and_what_to_do(monkeypatch):
    monkeypatch.setattr(distribution, "MOST", 64)
    result = found(lambda: torch.rand(()) < 0.5, lambda: torch.rand(()) < 0.5)
    assert result.problem == ""
    assert re.match(
        "64 draws do not tell (each sample twice|one sample repeated) from the reference: ", result.powerless
    )
    assert "return more samples per call" in result.powerless


def test_a_reference_that_draws_nothing_is_named():
    result = found(lambda: X, lambda: X)
    assert result.problem == "the reference gives the same result every time: let it draw, or remove `distribution`"


def test_a_shape_that_changes_from_draw_to_draw_is_refused():
    result = found(lambda: torch.randn(int(torch.randint(3, 30, ()))), normal)
    assert "return one shape, and pad what varies" in result.problem


def test_a_rank_ends_with_the_others_and_reports_only_what_it_found():
    alone = distribution.check(normal, {"baseline": [normal]}, CLOSE, lambda value: max(value, 1.0))
    assert alone == distribution.Found()


@pytest.mark.parametrize(
    "draw", [tokens, normal, dropout, lambda: torch.rand(40) < 0.02, lambda: torch.empty(9).cauchy_()]
)
def test_honest_draws_rarely_come_near_the_limit(draw):
    """The stated error is an upper bound: in 12 comparisons chance alone would go below 0.01 in one run of nine."""
    rng = numpy.random.default_rng()
    for _ in range(12):
        places = choose_places(draw(), CLOSE, rng)
        trained, tested, side = (distribution.take(draw, 100, places) for _ in range(3))
        judge = distribution.Judge(places, trained, tested, 1, rng)
        assert min(one.adjusted for one in judge._tests(side, whole=True)) > 0.01
