"""Every argument must matter: what goes unread or holds the answer is found, whatever an argument is."""

import numpy
import pytest
import torch

from perfproof.worker.verify import relevance
from tests.worker.verify.cases import make_case

LOOSE = dict(rtol=1e-3, atol=1e-3)


def problem(draw, reference, *sides, **declared):
    return relevance.check(make_case(draw, reference, *(sides or (reference,)), **declared))[0]


def notes(draw, reference, *sides, **declared):
    return relevance.check(make_case(draw, reference, *(sides or (reference,)), **declared))[1]


def two():
    return torch.randn(50), torch.randn(50)


@pytest.mark.parametrize(
    ("draw", "reference", "tolerance", "unread"),
    [
        (two, lambda x, y: x.double(), LOOSE, "x1"),  # ignored
        (two, lambda x, y: x.double() + 1e-4 * y.double(), LOOSE, "x1"),  # a branch below the tolerance
        (lambda: (torch.randn(9, 7),), lambda x: x.double().softmax(-1).sum(-1), LOOSE, "x0"),  # forgets its input
        (lambda: (torch.randn(10_000),), lambda x: x.double().square().mean(), dict(rtol=0.2, atol=0.0), "x0"),
        (lambda: (torch.randn(9),), lambda x: bool(x.isfinite().all()), LOOSE, "x0"),  # the same for every draw
        (lambda: ("".join(map(str, torch.randint(10, (9,)).tolist())),), len, LOOSE, "x0"),
        (two, lambda x, answer: x.double() ** 2 + 0 * answer.double(), LOOSE, "x1"),  # the answer handed in
        (lambda: ([torch.randn(3), torch.randn(3)], 2.0), lambda xs, _: xs[0].double() * 0 + 1, LOOSE, "x0"),
    ],
)
def test_an_argument_that_can_be_exchanged_without_a_trace_is_named(draw, reference, tolerance, unread):
    said = problem(draw, reference, tolerance=tolerance)
    assert said.startswith(f"nothing proves that `{unread}` is read: the value of another draw leaves the answer")
    assert said.endswith("tighten the tolerance, draw values that change the answer, or remove the argument")


def test_a_constant_is_exchanged_too():
    def draw():
        return torch.randn(8, 8), torch.randn(8, 8)

    def reference(x, weight):
        return x.double() + 1e-4 * torch.tanh(x.double() @ weight.double())

    said = problem(draw, reference, lambda x, w: x + 1e-4 * torch.tanh(x @ w), tolerance=LOOSE, constant=("x1",))
    assert "`x1`" in said


def test_an_argument_that_is_made_from_a_constant_of_another_draw_is_told_why():
    def draw():
        names = [f"user:{number}" for number in torch.randint(10**9, (20,)).tolist()]
        return names, [names[at] for at in torch.randint(20, (9,)).tolist()]

    def places(names, asked):
        return [names.index(name) if name in names else -1 for name in asked]

    kept = draw()[0]
    said = problem(lambda: (kept, draw()[1]), places, constant=("x0",), tolerance=dict(rtol=0.0, atol=0.0))
    assert "`x1` is read" in said and "do not make it from `x0`, which every call gets from the first draw" in said


def test_one_answer_must_not_be_right_for_both_draws():
    """Twice the tolerance apart: a result in the middle would pass for two answers that are closer."""
    values = iter([0.0, 1.5e-3, 1.5e-3, 1.5e-3, 1.5e-3, 2.5e-3])

    def draw():
        return (torch.tensor([1.0, next(values)]),)

    tolerance = dict(rtol=0.0, atol=1e-3)
    assert problem(draw, lambda x: x.double(), lambda x: x.clone(), tolerance=tolerance)
    values = iter([0.0, 1.5e-3, 2.5e-3])
    assert problem(draw, lambda x: x.double(), lambda x: x.clone(), tolerance=tolerance) == ""


@pytest.mark.parametrize(
    ("draw", "reference", "declared"),
    [
        (two, lambda x, y: x.double() @ y.double(), {}),
        (lambda: (torch.randn(9, 9), torch.randint(1, 10, (9,))), lambda x, n: x[torch.arange(9), n - 1].double(), {}),
        (lambda: (torch.randn(9), "path", 3), lambda x, path, n: x.double() * n, {}),
        (lambda: (numpy.random.rand(9), numpy.random.randint(9, size=9)), lambda x, i: x[i], {}),
        (lambda: ([f"w{n}" for n in torch.randint(9, (9,)).tolist()],), lambda words: sorted(words), {}),
        (lambda: (torch.randn(9), torch.arange(9) % 2 > 0), lambda x, mask: x.double().where(mask, 0.0), {}),
        (lambda: (torch.randn(9), torch.nn.Linear(9, 9)), lambda x, layer: layer(x).double(), dict(constant=("x1",))),
        (lambda: ({"a": torch.randn(3), "b": 2.0},), lambda x: x["a"].double() * x["b"], {}),
        (lambda: (torch.randn(9).to(torch.float8_e4m3fn),), lambda x: x.double(), {}),
        (lambda: (torch.randn(int(torch.randint(3, 9, ())), 2),), lambda x: x.double().sum(0), {}),  # of any length
        (lambda: ([f"w{n}" for n in torch.randint(99, (9,)).tolist()],), lambda words: dict.fromkeys(words, 1), {}),
    ],
)
def test_honest_arguments_of_every_kind_are_read(draw, reference, declared):
    assert problem(draw, reference, **declared) == ""


def test_what_every_draw_gives_alike_and_cannot_be_shown_is_only_said():
    said = notes(lambda: (torch.randn(9), 64, "file.bin", torch.zeros(9)), lambda x, piece, path, zero: x.double())
    assert [note.split("`")[1] for note in said] == ["x1", "x2", "x3"]
    assert all("every call gets the same value" in note for note in said)
    assert ["no other one to try: let `inputs` draw" in note for note in said] == [False, True, True]


def test_a_word_out_of_two_is_drawn_until_it_differs():
    words = iter(["mean", "mean", "mean", "mean", "sum", "mean", "sum", "mean", "sum"])

    def reference(x, how):
        return x.double().sum() if how == "sum" else x.double().mean()

    assert relevance.check(make_case(lambda: (torch.randn(9), next(words)), reference, reference)) == ("", [])


def test_what_is_alike_is_perturbed():
    def reference(x, steps, eps, table, mask):
        return ((x.double() * steps + eps)[table]).where(mask, 0.0)

    def draw():
        return torch.randn(9), 3, 0.5, torch.arange(9), torch.ones(9, dtype=torch.bool)

    assert notes(draw, reference) == [] and problem(draw, reference) == ""


def padded():
    return torch.randn(4, 9), torch.zeros(4, 9, dtype=torch.bool)  # no draw is short


def masked_mean(x, mask):
    return x.double().masked_fill(mask, 0.0).sum(-1)


def test_a_mask_that_never_masks_must_be_followed_all_the_same():
    def careless(x, mask):
        return x.sum(-1)

    said = problem(padded, masked_mean, lambda x, m: x.masked_fill(m, 0.0).sum(-1), careless)
    assert said.startswith("optimized is wrong for another value of `x1`: read `x1`, or name it in `constant`")
    honest = problem(padded, masked_mean, lambda x, m: x.masked_fill(m, 0.0).sum(-1), lambda x, m: (x * ~m).sum(-1))
    assert honest == ""


def test_what_stands_in_a_row_that_is_masked_as_a_whole_does_not_matter():
    """Another causal mask may leave nothing of a row: its mean is 0 / 0, and a kernel may give zeros."""

    def causal():
        return torch.randn(6, 6), torch.ones(6, 6, dtype=torch.bool).tril()

    def mean(x, mask):
        return x.masked_fill(~mask, 0.0).sum(-1) / mask.sum(-1)

    def with_zeros(x, mask):
        return torch.nan_to_num((x * mask).sum(-1) / mask.sum(-1))

    def careless(x, mask):
        return x.tril().sum(-1) / torch.arange(1, 7)

    assert problem(causal, mean, mean, with_zeros) == ""
    assert "optimized is wrong for another value of `x1`" in problem(causal, mean, mean, careless)


@pytest.mark.parametrize("declared", [dict(constant=("x1",)), dict(domain=dict(x1="drawn"))])
def test_a_constant_and_what_only_inputs_can_draw_may_be_relied_on(declared):
    def causal(x, mask):
        return x.sum(-1)

    assert problem(padded, masked_mean, lambda x, m: x.masked_fill(m, 0.0).sum(-1), causal, **declared) == ""


def test_an_exception_shows_that_an_argument_is_read():
    def lookup(keys, asked):
        return torch.stack([(keys == key).nonzero()[0, 0] for key in asked])

    def draw():
        keys = torch.randperm(1000)[:9]
        return keys, keys[torch.randperm(9)[:3]]

    assert problem(draw, lookup) == ""


def test_a_reference_that_only_checks_the_answer_that_was_handed_in_proves_nothing():
    def reference(x, answer):
        assert torch.equal(answer, x * 2)
        return x.double() * 2

    def draw():
        x = torch.randn(9)
        return x, x * 2

    assert "nothing proves that `x1` is read" in problem(draw, reference, lambda x, a: x * 2, lambda x, a: a.clone())


def test_a_buffer_that_the_reference_writes_matters():
    def write(x, out):
        out.copy_(x * 2)

    declared = dict(mutates=("x1",))
    assert problem(lambda: (torch.randn(9), torch.empty(9)), write, write, write, **declared) == ""
    assert problem(lambda: (torch.randn(9), torch.zeros(9)), write, write, write, **declared) == ""


@pytest.mark.parametrize("handed_in", [lambda x: x * 2, lambda x: x * 6])
def test_a_buffer_that_comes_with_the_answer_in_it_is_found(handed_in):
    def write(x, out):
        out.copy_(x * 2)

    def cheat(x, out):
        out.mul_(float(x[0] * 2 / out[0]))

    def draw():
        x = torch.randn(9)
        return x, handed_in(x)

    assert problem(draw, write, write, cheat, mutates=("x1",))


def test_a_module_and_its_optimizer_can_be_exchanged_one_by_one():
    def draw():
        layer = torch.nn.Linear(3, 3)
        return layer, torch.optim.SGD(layer.parameters(), lr=0.5), torch.randn(5, 3)

    def step(layer, optimizer, x):
        layer(x.to(layer.weight.dtype)).square().sum().backward()
        optimizer.step()
        return layer.weight.detach().clone()

    assert problem(draw, step, constant=()) == ""


def test_one_reference_call_per_argument_is_enough_if_all_is_well():
    calls = []

    def reference(x, y):
        calls.append(1)
        return x.double() @ y.double()

    case = make_case(two, reference, lambda x, y: x @ y)
    calls.clear()
    assert relevance.check(case) == ("", []) and len(calls) == 2


def test_ranks_make_the_same_calls():
    """One rank alone sees nothing; another has seen that the argument is read."""
    calls = []
    case = make_case(two, lambda x, y: calls.append(1) or x.double(), lambda x, y: x.clone(), agree=lambda _: 1.0)
    calls.clear()
    relevance.check(case)
    assert len(calls) == 2


# constants that are lent: there is no room for other ones


def lent(reference, constant):
    drawn = lambda: (constant, torch.randint(9, (5,)))  # noqa: E731
    return make_case(drawn, reference, reference, constant=("x0",), lent=frozenset({"x0"}))


@pytest.mark.parametrize(
    ("constant", "reference"),
    [
        (torch.randn(9), lambda table, keys: table.double()[keys]),
        ([torch.ones(3), torch.randn(9)], lambda tables, keys: tables[1].double()[keys]),
        (torch.nn.Linear(9, 4), lambda model, keys: model.weight.detach().double()[:, keys].sum(0)),
    ],
    ids=["tensor", "list", "module"],
)
def test_a_constant_without_room_for_another_is_changed_in_place_and_put_back(constant, reference):
    before = [leaf.clone() for leaf in torch.utils._pytree.tree_leaves(tensors(constant))]
    assert relevance.check(lent(reference, constant)) == ("", [])
    after = torch.utils._pytree.tree_leaves(tensors(constant))
    assert all(torch.equal(old, new) for old, new in zip(before, after, strict=True))


def tensors(constant):
    return dict(constant.named_parameters()) if isinstance(constant, torch.nn.Module) else constant


def test_a_large_tensor_is_turned_over_piece_by_piece_and_back(monkeypatch):
    monkeypatch.setattr(relevance, "PIECE", 7)
    tensor = torch.randn(50).to(torch.bfloat16)
    before = tensor.clone()
    relevance._turn_over(tensor)
    assert not torch.equal(tensor, before)
    relevance._turn_over(tensor)
    assert torch.equal(tensor, before)


def test_a_constant_that_nobody_reads_is_named_though_there_is_no_other():
    _, notes = relevance.check(lent(lambda table, keys: keys.double(), torch.randn(9)))
    assert notes and notes[0].startswith("nothing proves that `x0` is read")


def with_optimizer(**settings):
    model = torch.nn.Linear(3, 2)
    model.load_state_dict({"weight": torch.randn(2, 3), "bias": torch.randn(2)})
    return model, torch.optim.SGD(model.parameters(), lr=0.1, **settings), torch.randn(5, 3)


def step(model, optimizer, x):
    optimizer.zero_grad()
    model(x.to(model.weight.dtype)).square().mean().backward()
    optimizer.step()


@pytest.mark.parametrize(("momentum", "named"), [(0.9, False), (0.0, True)])
def test_an_optimizer_whose_moments_are_compared_is_read_though_every_draw_gives_a_fresh_one(momentum, named):
    found = notes(lambda: with_optimizer(momentum=momentum), step, tolerance=LOOSE, mutates=("x1",))
    assert any("`x1` is read" in note for note in found) is named


def scheduled():
    model, optimizer, x = with_optimizer(momentum=0.9)
    return model, optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9), x


@pytest.mark.parametrize("moves", [True, False])
def test_a_scheduler_that_a_call_moves_is_read_and_one_that_it_does_not_move_is_named(moves):
    def trained(model, optimizer, schedule, x):
        step(model, optimizer, x)
        schedule.step() if moves else None

    found = notes(scheduled, trained, tolerance=LOOSE, mutates=("x1", "x2"))
    assert any("`x2` is read" in note for note in found) is not moves
