"""The pool of arguments: every timed call sees values that `inputs` drew, and no side sees a value twice."""

import math
import pickle
import random
import weakref
from collections import Counter

import numpy
import pytest
import torch

from perfproof.worker.measure import arguments
from perfproof.worker.measure.arguments import READ_BYTES, WARM_BYTES, WARM_SETS, ArgumentPool, fingerprint, seeded
from perfproof.worker.verify.outputs import same_bits
from tests.core.kinds import every_kind, three

NAMES = ("x", "weight", "state")
MANY = 10**9  # sets
SIDES = ("baseline", "optimized")


def inputs(rows=20):
    return torch.randn(rows, 30), torch.randn(30), torch.randn(40)


def pool_of(inputs=inputs, names=NAMES, constant=("weight",), mutates=()):
    return ArgumentPool(seeded(inputs, {}, "cpu", ["numpy", "random"]), names, constant, mutates, random.Random(1))


def single(make, **more):
    """A pool of one argument that varies."""
    return pool_of(make, ("x",), (), **more)


def planned(pool, calls, most_sets=MANY):
    pool.plan(dict.fromkeys(SIDES, calls), most_sets)
    return pool


KINDS = {
    "tensor": lambda: torch.randn(4, 4),
    "transposed": lambda: torch.randn(4, 4).t(),
    "with gaps": lambda: torch.randn(4, 8)[:, ::2],
    "expanded": lambda: torch.randn(4, 1).expand(4, 3),
    "single number": lambda: torch.randn(()),
    "half": lambda: torch.randn(8).to(torch.bfloat16),
    "eight bits": lambda: torch.randn(64).to(torch.float8_e4m3fn),
    "complex": lambda: torch.randn(8, dtype=torch.complex64),
    "flags": lambda: torch.rand(64) < 0.5,
    "with a gradient": lambda: torch.randn(8, requires_grad=True),
    "whole numbers": lambda: torch.randint(0, 2**31, (4,)),
    "array": lambda: numpy.random.randn(4, 4),
    "array with gaps": lambda: numpy.random.randn(4, 8)[:, ::2],
    "array in Fortran's order": lambda: numpy.asfortranarray(numpy.random.randn(4, 4)),
    "array of texts": lambda: numpy.array([str(random.random()) for _ in range(3)]),
    "array of dates": lambda: numpy.random.randint(0, 2**40, 3).astype("datetime64[s]"),
    "number": lambda: random.getrandbits(60),
    "real number": random.random,
    "text": lambda: f"{random.getrandbits(200):x}",
    "bytes": lambda: random.randbytes(20),
    "list of rows": lambda: [torch.randn(random.randint(1, 9)) for _ in range(3)],
    "in a dict": lambda: {"a": [torch.randn(8), 3, "text"], "b": random.random()},
    "module": lambda: torch.nn.Linear(3, 3),
    "sparse": lambda: torch.randn(8, 8).relu().to_sparse(),
    "sparse rows": lambda: torch.randn(8, 8).relu().to_sparse_csr(),
}


# no value twice


@pytest.mark.parametrize("kind", KINDS)
def test_no_side_sees_a_value_twice(kind):
    pool = planned(single(KINDS[kind]), 60)
    for side in SIDES:
        seen = [one for _ in range(20) for one in pool.take(side, 3)]
        marks = {fingerprint(one) for one in seen}
        assert len(marks) == len(seen) == 60
    assert (pool.drawn, pool.repeated) == (60, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_freed_and_drawn_again_elsewhere_are_no_repeats(kind):
    pool = single(KINDS[kind])
    for _ in range(40):
        planned(pool, 4)
        for side in SIDES:
            pool.take(side, 4)
    assert pool.drawn == 160 and pool.repeated == 0


@pytest.mark.parametrize("kind", KINDS)
def test_equal_values_have_equal_fingerprints_and_others_do_not(kind):
    draw = seeded(KINDS[kind], {}, "cpu", ["numpy", "random"])
    one, again, other = (list(draw(seed, 1)) for seed in (1, 1, 2))
    assert fingerprint(one) == fingerprint(again) != fingerprint(other)


@every_kind
def test_equal_values_of_every_kind_have_equal_fingerprints(make):
    one, again, other = three(make)
    assert fingerprint(one) == fingerprint(again) != fingerprint(other)
    assert fingerprint([one]) == fingerprint([again]) != fingerprint([other])


def test_of_large_values_the_beginning_and_the_end_are_compared():
    large = torch.zeros(3 * READ_BYTES, dtype=torch.uint8)
    for at in (0, READ_BYTES - 1, -1, -READ_BYTES):
        changed = large.clone()
        changed[at] = 1
        assert fingerprint(changed) != fingerprint(large)
    assert fingerprint(large[:-1]) != fingerprint(large)


def test_inputs_that_draw_from_few_values_are_found_out():
    pool = planned(single(lambda: random.randrange(10)), 100)
    pool.take("baseline", 100)
    assert pool.drawn == 100 and pool.repeated >= 90


def test_values_are_compared_over_all_batches():
    numbers = iter([1, 2, 3, 4, 5, 1, 2, 6, 7])
    pool = single(lambda: next(numbers))  # the pool draws the first one for itself
    for _ in range(4):
        planned(pool, 2)
        pool.take("baseline", 2)
    assert (pool.drawn, pool.repeated) == (8, 1), "the second 2; the first 1 was never used in a timed call"


def test_arguments_that_differ_in_one_value_are_other_values():
    pool = planned(pool_of(lambda: (7, torch.ones(3), random.random())), 50)
    pool.take("optimized", 50)
    assert pool.repeated == 0


def test_a_constant_is_no_repeat():
    pool = planned(pool_of(lambda: (random.random(), 5, 6)), 20)
    pool.take("baseline", 20)
    assert pool.repeated == 0


# the same sets for all sides


def orders_of(pool, calls, sides=SIDES, each=1):
    """The sets that each side gets, by number, where all take in turn."""
    pool.plan(dict.fromkeys(sides, calls), MANY)
    number, seen = {}, {side: [] for side in sides}
    for _ in range(calls // each):
        for side in sides:
            for one in pool.take(side, each):
                seen[side].append(number.setdefault(id(one[0]), len(number)))
    return seen


def test_the_sides_see_the_same_sets():
    seen = orders_of(pool_of(), 40, each=4)
    assert sorted(seen["baseline"]) == sorted(seen["optimized"]) and len(set(seen["baseline"])) == 40


def test_half_a_batch_lies_between_two_uses_of_a_set():
    seen = orders_of(pool_of(), 40)
    ring = [(seen["baseline"].index(one) - seen["optimized"].index(one)) % 40 for one in seen["baseline"]]
    assert set(ring) == {20}


def test_with_three_sides_a_third():
    seen = orders_of(pool_of(), 30, ("baseline", "optimized", "twin"))
    for one, other in (("baseline", "optimized"), ("optimized", "twin"), ("twin", "baseline")):
        assert {(seen[one].index(at) - seen[other].index(at)) % 30 for at in seen[one]} <= {10, 20}


def test_a_side_that_makes_fewer_calls_sees_none_twice():
    pool = pool_of()
    for _ in range(5):
        pool.plan({"baseline": 3, "optimized": 40}, MANY)
        for side, calls in (("optimized", 20), ("baseline", 3), ("optimized", 20)):
            pool.take(side, calls)
    assert pool.repeated == 0


def test_what_was_not_planned_is_drawn_all_the_same():
    pool = pool_of()
    assert len(pool.take("baseline", 5)) == 5
    planned(pool, 2)
    taken = [*pool.take("baseline", 7), *pool.take("optimized", 9)]
    assert len({fingerprint(one) for one in taken[:7]}) == 7 and len({fingerprint(one) for one in taken[7:]}) == 9


def test_more_calls_in_a_sample_than_memory_holds_get_their_sets():
    pool = planned(pool_of(), 100, most_sets=1)
    assert len({fingerprint(one) for one in pool.take("baseline", 100)}) == 100


# memory


class Counted:
    """Draws, and how many of them are alive."""

    def __init__(self):
        self.alive, self.most = weakref.WeakSet(), 0

    def __call__(self):
        x = torch.randn(4)
        self.alive.add(x)
        self.most = max(self.most, len(self.alive))
        return x


@pytest.mark.parametrize("calls", [(1, 1), (1, 4), (4, 1), (1, 30)])
@pytest.mark.parametrize("most_sets", [10, 40, 160])
def test_no_more_sets_are_held_than_memory_allows_for_each_side(calls, most_sets):
    """A side with short calls uses many more sets than the other, batch after batch."""
    counted = Counted()
    pool = single(counted)
    for _ in range(10):
        pool.plan(dict(zip(SIDES, [10 * own for own in calls], strict=True)), most_sets)
        for _ in range(10):
            for side, own in zip(SIDES, calls, strict=True):
                pool.take(side, own)
    assert pool.most_held <= most_sets
    assert counted.most <= 2 * max(most_sets, *calls) + 1, "what one side has not used yet, and the draws for the other"


def test_with_memory_for_everything_a_batch_is_drawn_at_once():
    drawn = []

    def draw(seed, sets):
        drawn.append(sets)
        return [(torch.randn(4), torch.randn(4), torch.randn(4)) for _ in range(sets)]

    pool = planned(ArgumentPool(draw, NAMES, (), (), random.Random(1)), 80)
    for _ in range(20):
        for side in SIDES:
            pool.take(side, 4)
    assert drawn == [1, 80] and pool.most_held == 80


def test_the_size_of_a_set_leaves_constants_out():
    assert pool_of().set_bytes == 4 * (20 * 30 + 40)
    assert single(random.random).set_bytes >= 1


# mutated arguments


def test_a_mutated_argument_reaches_each_side_as_it_was_drawn():
    pool = planned(pool_of(mutates=("state",)), 10)
    seen = {}
    for side in SIDES:
        for x, _, state in pool.take(side, 10):
            seen.setdefault(fingerprint(x), []).append(state.clone())
            state.fill_(1e30)
    assert len(seen) == 10
    assert all(len(states) == 2 and same_bits(*states) and states[0].abs().max() < 100 for states in seen.values())


def test_without_mutated_arguments_the_sides_share_memory():
    pool = planned(pool_of(), 10)
    addresses = [Counter(one[0].data_ptr() for one in pool.take(side, 10)) for side in SIDES]
    assert addresses[0] == addresses[1]


@pytest.mark.parametrize("mutates", [(), ("state",)])
def test_calls_that_are_not_timed_go_round_a_few_sets_that_no_timed_call_sees(mutates, monkeypatch):
    monkeypatch.setattr(arguments, "WARM_SECONDS", math.inf)
    pool = pool_of(mutates=mutates)
    warm = [fingerprint(one[0]) for one in pool.take_warm(3 * WARM_SETS)]
    assert len(set(warm)) == WARM_SETS and warm[:WARM_SETS] * 3 == warm
    timed = {fingerprint(one[0]) for one in planned(pool, 50).take("baseline", 50)}
    assert not timed & set(warm) and pool.drawn == 50


def test_warm_sets_of_a_pair_that_changes_its_arguments_are_copies():
    pool = pool_of(mutates=("state",))
    for _ in range(3):
        for _, _, state in pool.take_warm(WARM_SETS):
            assert state.abs().max() < 100
            state.fill_(1e30)


def test_values_that_take_long_to_draw_are_two_in_the_warm_up(monkeypatch):
    monkeypatch.setattr(arguments, "WARM_SECONDS", 0.0)
    pool = pool_of()
    warm = [fingerprint(one[0]) for one in pool.take_warm(6)]
    assert warm[:2] * 3 == warm and warm[0] != warm[1]


@pytest.mark.parametrize(("numbers", "sets"), [(250, WARM_SETS), (WARM_BYTES // 4 // 3, 3), (WARM_BYTES, 2)])
def test_large_sets_are_few_in_the_warm_up_and_at_least_two(numbers, sets):
    assert single(lambda: torch.zeros(numbers)).warm_sets == sets


# constants


def test_constants_are_the_same_objects_in_every_set():
    pool = planned(pool_of(), 10)
    (weight,) = pool.constants
    everywhere = [*pool.take("baseline", 10), *pool.take("optimized", 10), *pool.take_warm(3), pool.draw()]
    assert all(one[1] is weight for one in everywhere)
    assert len({one[0].data_ptr() for one in everywhere[:10]}) == 10


def test_everything_can_be_drawn_anew_constants_too():
    pool = pool_of()
    drawn = pool.draw_everything()
    assert drawn[1] is not pool.constants[0] and not same_bits(drawn[1], pool.constants[0])
    assert not same_bits(drawn, pool.draw_everything())


# paths


def writes(path, text=None):
    def inputs():
        path.write_text(text or str(random.random()))
        return str(path)

    return inputs


def test_a_path_that_every_draw_writes_again_is_refused_with_advice(tmp_path):
    pool = single(writes(tmp_path / "data.bin"))
    with pytest.raises(
        ValueError, match=r"`inputs` gave the path 'data\.bin' twice: write every draw to a file of its"
    ):
        planned(pool, 10)


def test_a_path_inside_a_list_is_found_too(tmp_path):
    path = tmp_path / "data.bin"
    path.write_text("same")
    pool = single(lambda: {"files": [str(path)], "seed": random.random()})
    with pytest.raises(ValueError, match=r"or name the argument in `constant`"):
        planned(pool, 10)


def test_a_file_for_each_draw_is_right(tmp_path):
    pool = planned(single(lambda: writes(tmp_path / f"{random.getrandbits(64)}")()), 30)
    assert len(set(pool.take("baseline", 30))) == 30


def test_a_constant_path_is_right(tmp_path):
    inputs = writes(tmp_path / "data.bin", "same")
    pool = planned(pool_of(lambda: (random.random(), inputs()), ("x", "path"), ("path",)), 30)
    assert len(pool.take("baseline", 30)) == 30


def test_one_path_twice_in_one_draw_is_right(tmp_path):
    def inputs():
        path = writes(tmp_path / f"{random.getrandbits(64)}")()
        return {"train": path, "valid": path}

    assert len(planned(single(inputs), 30).take("baseline", 30)) == 30


def test_texts_that_are_no_paths_may_come_again():
    pool = planned(pool_of(lambda: (random.random(), "C", "float32"), NAMES, ()), 30)
    assert len(pool.take("baseline", 30)) == 30 and pool.repeated == 0


# drawing


def test_inputs_that_give_too_few_values_are_refused_in_words():
    with pytest.raises(
        ValueError, match=r"`inputs` returned 2 values, the functions take 3: return one for each of x, "
    ):
        pool_of(lambda: (1, 2))


def test_how_long_a_draw_takes_is_known_and_uses_no_timed_set():
    pool = pool_of()
    assert 0 < pool.draw_seconds() < 1
    assert pool.drawn == 0


def test_a_plan_draws_at_once_so_that_nothing_is_drawn_between_samples():
    pool = planned(pool_of(), 40)
    assert pool.drawn == 40
    for _ in range(10):
        for side in SIDES:
            pool.take(side, 4)
    assert pool.drawn == 40


def test_a_draw_depends_on_its_seed_alone():
    def inputs(n):
        return torch.randn(n), numpy.random.randn(n), random.random()

    draw = seeded(inputs, {"n": 5}, "cpu", ["torch", "numpy", "random"])
    first = list(draw(2**61 + 7, 3))
    torch.manual_seed(1), numpy.random.seed(1), random.seed(1)
    assert same_bits(first, list(draw(2**61 + 7, 3)))
    (other,) = draw(8, 1)
    assert not any(same_bits(a, b) for a, b in zip(first[0], other, strict=True))


def test_the_sets_of_one_seed_differ_from_each_other():
    draw = seeded(lambda n: (torch.randn(n), random.random()), {"n": 5}, "cpu", ["random"])
    sets = list(draw(7, 20))
    assert len({fingerprint(one[0]) for one in sets}) == len({one[1] for one in sets}) == 20


def test_large_constants_that_inputs_draws_each_time_are_never_held_for_more_than_a_set():
    alive = weakref.WeakSet()
    most = 0

    def inputs():
        nonlocal most
        weights = torch.randn(4)
        alive.add(weights)
        most = max(most, len(alive))
        return weights, torch.randn(4)

    pool = pool_of(inputs, names=("weights", "x"), constant=("weights",))
    pool.plan({"baseline": 40, "optimized": 40}, 40)
    assert len(pool.take("baseline", 40)) == 40
    assert most == 2, "those of the first set, and those that are drawn"


def test_an_example_that_is_forgotten_leaves_the_constants():
    pool = pool_of(lambda: (torch.ones(4), torch.randn(4)), names=("weights", "x"), constant=("weights",))
    held = weakref.ref(pool.example[1])
    pool.forget_example()
    assert held() is None and pool.set_bytes == 16
    assert torch.equal(pool.draw()[0], torch.ones(4)) and torch.equal(pool.constants[0], torch.ones(4))


def test_a_replaced_generator_is_not_the_one_that_is_seeded(monkeypatch):
    draw = seeded(lambda n: torch.randn(n), {"n": 5}, "cpu", ["torch"])
    monkeypatch.setattr(torch, "default_generator", None)
    monkeypatch.setattr(torch, "manual_seed", None)
    assert not same_bits(*(list(draw(seed, 1)) for seed in (1, 2)))


def test_a_single_argument_need_not_be_a_tuple():
    (one,) = seeded(lambda n: torch.ones(n), {"n": 2}, "cpu", [])(1, 1)
    assert len(one) == 1


def test_a_tensor_carries_no_attribute():
    def inputs(n):
        x = torch.ones(n)
        x.answer = 42
        return {"a": [x]}, x

    ((nested, x),) = seeded(inputs, {"n": 2}, "cpu", [])(1, 1)
    assert not hasattr(x, "answer") and not hasattr(nested["a"][0], "answer")


def test_a_tensor_that_keeps_its_values_in_attributes_is_left_as_it_is():
    def inputs():
        return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)

    ((rows,),) = seeded(inputs, {}, "cpu", [])(1, 1)
    assert rows.values().tolist() == [1.0] * 5


def test_sets_of_another_process_come_with_the_constants_of_this_one():
    there, here = pool_of(), pool_of()
    (packed,) = there.packed(1)
    x, weight, state = here.unpacked(packed)
    assert weight is here.constants[0]
    assert len(packed) < len(pickle.dumps((x, weight, state))), "its own stay there"
    assert x.shape == (20, 30) and state.shape == (40,)


@every_kind
def test_every_kind_of_value_travels_as_it_is(make):
    made = three(make)[0]
    pool = single(lambda: (made,))
    for packed in pool.packed(1):
        assert same_bits(pool.unpacked(packed)[0], made)


def test_a_path_that_only_one_folder_knows_and_what_cannot_be_packed_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "values.bin").write_bytes(b"x")
    assert single(lambda: ("values.bin",)).packed(1) == []
    assert single(lambda: (str(tmp_path / "values.bin"),)).packed(1) != []
    assert single(lambda: ((number for number in range(3)),)).packed(1) == []


def test_gradients_travel_to_another_process_with_modules_optimizers_and_parameters():
    def inputs():
        model = torch.nn.Linear(3, 2)
        model(torch.randn(4, 3)).sum().backward()
        own = torch.nn.Parameter(torch.randn(2))
        own.grad = torch.randn(2)
        return model, torch.optim.SGD(model.parameters(), lr=0.1), [own, torch.randn(2, requires_grad=True)]

    pool = pool_of(inputs, ("model", "optimizer", "tensors"), ())
    (packed,) = pool.packed(1)
    model, optimizer, (own, other) = pool.unpacked(packed)
    assert model.weight.grad.shape == (2, 3) and own.grad.shape == (2,) and other.grad is None
    assert optimizer.param_groups[0]["params"][0] is model.weight


@pytest.mark.parametrize(
    ("given", "names", "taken"),
    [
        ({"y": 2, "x": 1}, ("x", "y"), (1, 2)),
        ({"x": 1}, ("x",), (1,)),
        ({"x": 1}, ("config",), ({"x": 1},)),
        ({"x": 1, "z": 2}, ("x", "y"), ({"x": 1, "z": 2},)),
        ((1, 2), ("x", "y"), (1, 2)),
    ],
)
def test_a_dict_with_the_names_of_all_arguments_gives_them_and_any_other_is_one_argument(given, names, taken):
    assert next(iter(seeded(lambda: given, {}, "cpu", [], names)(1, 1))) == taken
