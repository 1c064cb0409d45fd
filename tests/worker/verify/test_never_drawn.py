"""A variant that counts on what `inputs` happens to draw is named, and one that follows the baseline is not."""

import csv
import gzip
import json
import math
import random
import re
import zlib
from collections import namedtuple
from dataclasses import dataclass
from datetime import date, datetime
from operator import itemgetter

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


def records():
    return ([{"n": random.randrange(1, 100), "name": f"x{at}"} for at in range(20)],)


def table():
    return ("\n".join(f"{random.random()},{random.randrange(9)},x" for _ in range(9)),)


def some():
    return (random.randrange(20, 40),)


def whole():
    return (numpy.random.randint(0, 100, 64).astype("int32"),)


def with_masked_rows(x):
    dead = torch.isinf(x).all(1, keepdim=True)
    return torch.where(dead, 0.0, torch.softmax(torch.where(dead, 0.0, x), 1))


def stamps():
    return ([f"2026-01-{day:02}T10:00:{day + 20}+00:00" for day in numpy.random.randint(1, 32, 9)],)


def seconds_of(texts):
    return [datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp() for text in texts]


def longer():
    return (torch.rand(4096),)


def by_eights(x):
    return x[: len(x) // 8 * 8].square().sum(0)


def events():
    texts = [json.dumps(dict(id=at, price=random.randrange(100, 900) / 8, name=f"n{at}")) for at in range(12)]
    return ("\n".join(texts),)


def prices(text):
    return [json.loads(line)["price"] for line in text.splitlines()]


def by_expression(text):
    return [float(found) for found in re.findall(r'"price": ([0-9.]+)', text)]


def alike():
    return torch.randn(8, 24), torch.full((8,), random.randrange(9, 20))


def to_lengths(x, lengths):
    return torch.stack([row[:length].sum() for row, length in zip(x, lengths.tolist(), strict=True)])


def sprite():
    picture = numpy.random.randint(0, 256, (20, 20)).astype("uint8")
    return picture, numpy.where(numpy.random.rand(20, 20) < 0.5, 255, 0).astype("uint8")


def blended(picture, alpha):
    return ((picture.astype("uint16") * alpha + 127) // 255).astype("uint8")


def small():
    return [torch.randint(-128, 128, shape, dtype=torch.int8) for shape in ((3, 4096), (4096, 5))]


def is_finite(x):
    return bool(x.isfinite().all())


def steps():
    return [torch.randn(9) for _ in range(4)], [torch.randn(9) for _ in range(4)]


def skipping(parameters, gradients):
    if not all(map(is_finite, gradients)):
        return parameters
    return [one - other for one, other in zip(parameters, gradients, strict=True)]


def skipping_one(parameters, gradients):
    pairs = zip(parameters, gradients, strict=True)
    return [one - other if is_finite(other) else one for one, other in pairs]


def packed():
    return (gzip.compress(random.randbytes(200)),)


def dates():
    years = [random.choice([19, 20]) * 100 + random.randrange(2, 98) for _ in range(30)]
    return ([f"{year}-{random.randrange(1, 13):02}-{random.randrange(1, 28):02}" for year in years],)


def ordinals(texts):
    return [date.fromisoformat(text).toordinal() for text in texts]


def ordinals_of_a_century(texts):
    """Every fourth year is a leap year, from 1901 to 2099."""
    found = []
    for text in texts:
        year, month, day = int(text[:4]), int(text[5:7]), int(text[8:])
        before = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)[month - 1] + (month > 2 and year % 4 == 0)
        found.append(date(1901, 1, 1).toordinal() + (year - 1901) * 365 + (year - 1901) // 4 + before + day - 1)
    return found


def transfers():
    return ([(f"account {at}", random.randrange(1, 500)) for at in range(12)],)


def stock():
    return ({f"item {at}": random.randrange(1, 500) for at in range(12)},)


@pytest.mark.parametrize(
    ("draw", "baseline", "optimized", "words_of_it"),
    [
        (rows, lambda x: x.abs().sum(1), lambda x: x.sum(1), "`a0` with values of both signs"),
        (rows, lambda x: x.nanmean(1), lambda x: x.mean(1), "`a0` with a NaN"),
        (rows, lambda x: torch.ones_like(x).copysign(x), lambda x: torch.where(x < 0, -1.0, 1.0), "a negative zero"),
        (rows, with_masked_rows, lambda x: torch.softmax(x, 1), "`a0` with a row of minus infinity"),
        (rows, lambda x: x.square().sum(0), by_eights, "arguments with another length"),
        (
            longer,
            lambda x: float(x.square().sum()),
            lambda x: float(by_eights(x).sum()),
            "arguments with another length",
        ),
        (rows, lambda x: x.sum(1), lambda x: by_eights(x.T.sqrt()), "arguments with another length"),
        (whole, lambda x: int((x.astype("int64") ** 3).max()), lambda x: int((x**3).max()), "large whole number"),
        (numbers, lambda xs: [v % 7 for v in xs], lambda xs: [v - int(v / 7) * 7 for v in xs], "both signs"),
        (numbers, lambda xs: max(xs, default=0), lambda xs: sorted(xs)[-1], "`a0` empty"),
        (words, lambda text: len(text.split()), lambda text: text.count(" ") + 1, "`a0` empty; `a0` with"),
        (words, lambda text: text.upper(), lambda text: text.encode().upper().decode(), "letters beyond ASCII"),
        (words, lambda text: text.strip().split(" "), lambda text: text.split(" "), "`a0` with spaces around"),
        (words, lambda text: text.lower().count("one"), lambda text: text.count("one"), "letters of the other case"),
        (words, lambda text: text.split(), lambda text: text.strip().split(" "), "two spaces for one"),
        (table, lambda t: [*csv.reader(t.split("\n"))], lambda t: [r.split(",") for r in t.split("\n")], "quoted"),
        (records, lambda rs: [r.get("n", 0) for r in rs], lambda rs: [r["n"] for r in rs], "`a0` without a key"),
        (rows, lambda x: (len(x), *x.shape), lambda x: (len(x) or 1, *x.shape), "arguments without items"),
        (stamps, seconds_of, lambda texts: seconds_of([f"{text[:19]}+00:00" for text in texts]), "with another digit"),
        (some, lambda n: [p for p in range(n) if p > 1], lambda n: [*range(2, max(n, 4))], "`a0` of 1"),
        (events, prices, by_expression, "`a0` with other spaces in its JSON"),
        (lambda: (events()[0].encode(),), prices, lambda t: by_expression(t.decode()), "with other spaces in its JSON"),
        (packed, gzip.decompress, lambda data: zlib.decompress(data[10:-8], wbits=-15), "`a0` with another last byte"),
        (dates, ordinals, ordinals_of_a_century, "`a0` with a digit that no text has there"),
        (alike, to_lengths, lambda x, n: x[:, : int(n[0])].sum(1), "`a1` with values that are not all alike"),
        (sprite, blended, lambda a, alpha: a & alpha, "`a1` with values between those drawn"),
        (small, lambda a, b: a.long() @ b.long(), lambda a, b: (a.float() @ b.float()).long(), "`a0` and `a1` with no"),
        (steps, skipping, lambda ps, gs: [p - g for p, g in zip(ps, gs, strict=True)], "`a1` with a NaN"),
        (steps, skipping, skipping_one, "`a1` with a NaN"),
        (transfers, lambda rs: [a % 7 for _, a in rs], lambda rs: [int(math.fmod(a, 7)) for _, a in rs], "both signs"),
        (stock, lambda d: [v % 7 for v in d.values()], lambda d: [int(math.fmod(v, 7)) for v in d.values()], "signs"),
        (lambda: (*rows(), 0.5), lambda x, a: a * x, lambda x, a: x / 2, "`a1` of another value"),
        (lambda: (*rows(), 1.5), lambda x, a: x.clip(max=a), lambda x, a: x * 1.0, "`a1` of another value"),
    ],
)
def test_a_variant_that_counts_on_what_is_drawn_is_named(draw, baseline, optimized, words_of_it):
    assert words_of_it in said(draw, baseline, optimized)


@pytest.mark.parametrize(
    ("draw", "baseline", "optimized"),
    [
        (rows, lambda x: torch.stack([row.square().sum() for row in x]), lambda x: (x * x).sum(1)),
        (longer, lambda x: float(x.double().square().sum()), lambda x: float(torch.dot(x, x))),
        (lambda: (torch.rand(24, 40), torch.rand(40, 9)), lambda a, b: a @ b, lambda a, b: (b.T @ a.T).T),
        (rows, lambda x: x.log(), lambda x: x.log2() * 0.6931471805599453),
        (whole, lambda x: numpy.bincount(x % 7, minlength=7), lambda x: numpy.histogram(x % 7, range(8))[0]),
        (numbers, sorted, lambda xs: numpy.sort(numpy.array(xs, dtype=int)).tolist()),
        (words, lambda text: sorted({*text.split()}), lambda text: sorted(dict.fromkeys(text.split()))),
        (lambda: (*rows(), 0.5), lambda x, a: a * x, lambda x, a: x.mul(a)),
        (records, lambda rs: [r.get("n", 0) for r in rs], lambda rs: [{"n": 0, **r}["n"] for r in rs]),
        (records, lambda rs: [r["n"] for r in rs], lambda rs: [r.get("n") for r in rs]),
        (words, lambda text: text.split(), lambda text: " ".join(text.split()).split()),
        (stamps, seconds_of, lambda texts: [datetime.fromisoformat(text).timestamp() for text in texts]),
        (some, lambda n: sum(range(n)), lambda n: n * (n - 1) // 2),
        (events, prices, lambda t: [json.loads(line).get("price") for line in t.splitlines()]),
        (packed, gzip.decompress, lambda data: zlib.decompress(data, wbits=31)),
        (dates, ordinals, lambda texts: [date(int(t[:4]), int(t[5:7]), int(t[8:])).toordinal() for t in texts]),
        (alike, to_lengths, lambda x, n: (x * (torch.arange(24) < n[:, None])).sum(1)),
        (sprite, blended, lambda a, alpha: ((a.astype("uint32") * alpha + 127) // 255).astype("uint8")),
        (small, lambda a, b: a.long() @ b.long(), lambda a, b: a.int().long() @ b.long()),
        (
            steps,
            skipping,
            lambda ps, gs: ps if not all(map(is_finite, gs)) else torch._foreach_sub(ps, gs) if ps else [],
        ),
        (transfers, lambda rs: sum(a for _, a in rs), lambda rs: sum(map(itemgetter(1), rs))),
        (lambda: (torch.rand(64).sort().values,), lambda x: x.sort().values + 1, lambda x: x + 1),
        (lambda: (torch.rand(9, 4), torch.randint(9, (20,))), lambda t, i: t[i], lambda t, i: t.index_select(0, i)),
    ],
)
def test_an_honest_variant_is_not_named(draw, baseline, optimized):
    assert said(draw, baseline, optimized) == ""


def booked(ledger, amounts):
    for name, amount in amounts:
        if amount < 0:
            raise ValueError("negative")
        ledger[name] += amount
    return len(ledger)


def booked_at_once(ledger, amounts):
    trial = dict(ledger)
    found = booked(trial, amounts)
    ledger.update(trial)
    return found


def test_what_an_exception_leaves_half_changed_is_named():
    def draw():
        names = [f"account {at}" for at in range(9)]
        return dict.fromkeys(names, 5), [(name, random.randrange(1, 10**6)) for name in names]

    half = said(draw, booked_at_once, booked, mutates=("a0",))
    assert "`a1` with values of both signs, where it raises too, but leaves its arguments half changed" in half
    assert said(draw, booked, booked_at_once, mutates=("a0",)) == ""
    assert said(draw, booked_at_once, lambda ledger, rows: booked_at_once(ledger, [*rows]), mutates=("a0",)) == ""


def test_lists_that_belong_together_are_emptied_together():
    found = said(steps, skipping, lambda ps, gs: torch._foreach_sub(ps, gs) if is_finite(torch.cat(gs)) else ps)
    assert found == "`a0`, `a1` empty"


def padded(shared=False):
    lengths = torch.arange(4, 20) if shared else torch.randint(3, 24, (16,))
    return torch.randn(16, 24, 8), torch.arange(24) < lengths[:, None]


def masked_mean(x, mask):
    kept = mask[..., None].to(x.dtype)
    return (x * kept).sum(1) / kept.sum(1)


def mean_of_the_first(x, mask):
    lengths = mask.sum(1)
    return torch.stack([row[:length].mean(0) for row, length in zip(x, lengths.tolist(), strict=True)])


def scored():
    """Eight queries, 200 documents, a mask of half of them."""
    return torch.randn(8, 200), torch.rand(8, 200) > 0.5


def best_of_the_masked(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).topk(5).values


def test_a_mask_that_leaves_few_entries_is_tried():
    zeros = said(scored, best_of_the_masked, lambda x, mask: (x * mask).topk(5).values)
    assert "`a1` with few entries that are true" in zeros
    honest = said(scored, best_of_the_masked, lambda x, mask: torch.where(mask, x, -torch.inf).sort(-1, True)[0][:, :5])
    assert honest == ""


def test_a_mask_that_chooses_one_of_some_stays_one():
    def chosen():
        return torch.randn(32, 8), nn.functional.one_hot(torch.randint(8, (32,)), 8).bool()

    honest = said(chosen, lambda x, mask: x[mask], lambda x, mask: x.gather(1, mask.long().argmax(1)[:, None])[:, 0])
    assert "few entries" not in honest


def test_a_mask_whose_ones_always_come_first_is_turned_round():
    wrong = said(padded, masked_mean, mean_of_the_first)
    assert "`a1` with its ones at the other end of each row" in wrong
    as_numbers = (lambda: (padded()[0], padded()[1].float()), masked_mean, lambda x, m: mean_of_the_first(x, m.long()))
    assert "at the other end" in said(*as_numbers)
    honest = said(padded, masked_mean, lambda x, m: torch.einsum("btd,bt->bd", x, m.float()) / m.sum(1)[:, None])
    assert honest == ""
    assert said(lambda: padded(shared=True), masked_mean, mean_of_the_first) == "", "part of the task"


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


def unit_rows():
    return (nn.functional.normalize(torch.randn(16, 8), dim=1),)


def symmetric():
    x = torch.randn(8, 8)
    return (x + x.T,)


def counts():
    return (torch.randint(0, 50, (16, 8)).float(),)


def distinct():
    return torch.randn(20), torch.randperm(30)[:20]


def last_of_equals(v, i):
    return len(i) - 1 - i.flip(0).argsort(stable=True)


def names():
    return (random.sample(["ann", "bob", "cat", "dan", "eve", "fay", "gus"], 6),)


def added_up(v, i):
    return torch.zeros(30).index_add(0, i, v)


def assigned(v, i):
    found = torch.zeros(30)
    found[i] += v
    return found


@pytest.mark.parametrize(
    ("draw", "baseline", "optimized", "words_of_it"),
    [
        (unit_rows, lambda x: nn.functional.normalize(x, dim=1) * 2, lambda x: x * 2, "rows that are not normalised"),
        (symmetric, lambda x: x.T * 2, lambda x: x * 2, "`a0` that is not symmetric"),
        (counts, lambda x: x.sqrt(), lambda x: x.int().sqrt(), "`a0` with values between whole numbers"),
        (distinct, added_up, assigned, "`a1` with repeated values"),
        (names, lambda xs: sorted({*xs}), sorted, "`a0` with repeated values"),
    ],
    ids=["normalised", "symmetric", "whole numbers", "indices", "names"],
)
def test_a_variant_that_counts_on_a_structure_of_what_is_drawn_is_named(draw, baseline, optimized, words_of_it):
    assert words_of_it in said(draw, baseline, optimized)


@pytest.mark.parametrize(
    ("draw", "baseline", "optimized"),
    [
        (unit_rows, lambda x: nn.functional.normalize(x, dim=1), lambda x: x / x.square().sum(1, keepdim=True).sqrt()),
        (symmetric, lambda x: x @ x.T, lambda x: torch.einsum("ij,kj->ik", x, x)),
        (counts, lambda x: x.sqrt(), lambda x: x.pow(0.5)),
        (distinct, added_up, lambda v, i: torch.zeros(30).scatter_add(0, i, v)),
        (distinct, lambda v, i: i.argsort(stable=True), last_of_equals),
        (names, sorted, lambda xs: numpy.sort(numpy.array(xs)).tolist()),
    ],
    ids=["normalised", "symmetric", "whole numbers", "indices", "order of equals", "names"],
)
def test_a_variant_that_follows_without_the_structure_is_not_named(draw, baseline, optimized):
    assert said(draw, baseline, optimized) == ""


def checked(x):
    if not x.isfinite().all():
        raise ValueError("not finite")
    return x.sum(1)


def test_a_check_that_is_left_out_is_named_and_an_exception_that_happens_is_not():
    assert (
        said(rows, checked, lambda x: x.sum(1))
        == "`a0` with a NaN; `a0` with an infinity; `a0` with a row of minus infinity"
    )
    assert said(rows, checked, lambda x: checked(x) + 0) == ""
    assert said(numbers, lambda xs: xs[0] / 1, lambda xs: float(xs[0]) if xs else 0.0) == ""


def test_a_check_of_the_length_may_be_left_out():
    def of_one_length(x):
        assert len(x) == 32
        return x.sum(1)

    assert said(rows, of_one_length, lambda x: x.sum(1)) == ""


def plain_training():
    model = nn.Linear(6, 3)
    return model, torch.optim.SGD(model.parameters(), lr=0.05), torch.randn(8, 6)


def then_cleared(model, optimizer, x):
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


def never_cleared(model, optimizer, x):
    model(x).square().mean().backward()
    optimizer.step()


def test_gradients_that_add_up_over_steps_are_named_and_those_that_are_cleared_first_are_not():
    again = "a second call on what the first one has changed"
    assert again in said(plain_training, then_cleared, never_cleared, mutates=("a0", "a1"))
    assert again not in said(plain_training, then_cleared, step, mutates=("a0", "a1"))
    assert again not in said(training, step, then_cleared, mutates=("a0", "a1"))


@dataclass(frozen=True)
class Book:
    title: str
    year: int
    score: float


BookTuple = namedtuple("BookTuple", "title year score")


class BookObject:
    def __init__(self, title, year, score):
        self.title, self.year, self.score = title, year, score


def as_dict(title, year, score):
    return Book(title, year, score).__dict__


def books(kind):
    return lambda: ([kind(random.choice(["Emma", "Ulysses", "Dune"]), 2000, random.random()) for _ in range(30)],)


def read(book, name):
    return book[name] if isinstance(book, dict) else getattr(book, name)


KINDS = [Book, BookTuple, BookObject, as_dict]


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_records_that_is_never_read_is_named(kind):
    """Every draw gives all records the same year."""
    found = said(
        books(kind),
        lambda books: sorted((read(one, "title"), read(one, "year")) for one in books),
        lambda books: sorted((read(one, "title"), 2000) for one in books),
    )
    assert "values that are not all alike" in found


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_in_a_record_has_other_letters(kind):
    found = said(
        books(kind),
        lambda books: [read(one, "title").casefold() for one in books],
        lambda books: [read(one, "title").lower() for one in books],
    )
    assert "letters beyond ASCII in `title`" in found


@pytest.mark.parametrize("kind", KINDS)
def test_a_variant_that_reads_all_of_a_record_is_not_named(kind):
    assert (
        said(
            books(kind),
            lambda books: [(read(one, "title").lower(), read(one, "year") % 100, read(one, "score")) for one in books],
            lambda books: list(
                zip(
                    [read(one, "title").lower() for one in books],
                    [read(one, "year") % 100 for one in books],
                    [read(one, "score") for one in books],
                    strict=True,
                )
            ),
        )
        == ""
    )


def test_mixed_letters_are_tried_in_the_other_case():
    words = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")

    def mixed():
        return (" ".join(random.choice(["It's", "don't", "Two"]) for _ in range(40)),)

    def exactly(text):
        return [word.lower() for word in words.findall(text)]

    assert "letters of the other case" in said(mixed, exactly, lambda text: words.findall(text.lower()))
    assert said(mixed, exactly, lambda text: [found[0].lower() for found in words.finditer(text)]) == ""


def test_a_log_with_names_of_months_is_not_tried_in_the_other_case():
    def log():
        return ("\n".join(f'10.0.0.{random.randrange(9)} [12/Nov/2026:10:{at + 10}] "GET /x"' for at in range(9)),)

    def hours(text):
        return [datetime.strptime(at, "%d/%b/%Y:%H:%M").hour for at in re.findall(r"\[(.*?)\]", text)]

    months = {"Nov": 11}

    def by_table(text):
        return [int(found[2]) + 0 * months[found[1]] for found in re.finditer(r"\[\d+/(\w+)/\d+:(\d+):", text)]

    assert "other case" not in said(log, hours, by_table)
