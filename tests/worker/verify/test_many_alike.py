"""Many tensors of one shape, looked at together: nothing else is found than one by one."""

import math

import pytest
import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from perfproof.worker.measure import arguments
from perfproof.worker.verify import compare, many_alike, outputs, training_state
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.many_alike import MANY, alike, kinds_of, small_floats_of
from perfproof.worker.verify.outputs import same_bits

TOLERANCE = dict(rtol=1e-4, atol=1e-5)


def tensors(count=6, *shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape or (5, 7), generator=generator) for _ in range(count)]


@pytest.fixture
def one_by_one(monkeypatch):
    monkeypatch.setattr(many_alike, "SMALL", 0)


def figures(found):
    parts = [(part.apart, part.reference, part.spacing) for part in found.parts]
    return [found.rms_relative, found.max_absolute, found.of_tolerance, *(one for part in parts for one in part)]


def test_places_are_of_one_kind_and_of_as_many_as_make_a_stack(monkeypatch):
    values = [(one,) for one in [*tensors(5), *tensors(2, 3), *tensors(5)]]
    assert list(alike(values, kinds_of)) == [[0, 1, 2, 3, 4, 7, 8, 9, 10, 11]]
    monkeypatch.setattr(many_alike, "STACKED", 5 * 7 * 6)
    assert list(alike(values, kinds_of)) == [[0, 1, 2, 3, 4, 7], [8, 9, 10, 11]]
    assert [*map(len, alike(values, kinds_of, least=1))] == [6, 4, 2]


@pytest.mark.parametrize(
    "pair",
    [
        (torch.randn(3), torch.randn(4)),
        (torch.randint(9, (3,)), torch.randn(3)),
        (torch.randn(3, dtype=torch.complex64), torch.randn(3)),
        (torch.randn(0), torch.randn(0)),
        (torch.eye(3).to_sparse(), torch.eye(3)),
        (1.0, torch.randn(3)),
        (torch.randn(2 * many_alike.SMALL), torch.randn(2 * many_alike.SMALL)),
        None,
    ],
)
def test_what_cannot_be_stacked_is_left_alone(pair):
    assert small_floats_of(pair) is None


@pytest.mark.parametrize("moved", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("shape", [(5, 7), ()])
def test_a_list_of_tensors_is_as_far_off_as_its_tensors_are(request, shape, dtype, moved):
    right = tensors(2 * MANY, *shape)
    ours = [(one * (1 + moved)).to(dtype) for one in right]
    right = [one.double() for one in right]
    together = difference(ours, right, TOLERANCE)
    request.getfixturevalue("one_by_one")
    apart = difference(ours, right, TOLERANCE)
    assert figures(together) == pytest.approx(figures(apart), rel=1e-12) and together.problem == apart.problem
    assert together.wrong == apart.wrong


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 0.5])
def test_one_wrong_element_among_many_is_named(request, wrong):
    right, ours = tensors(9), tensors(9)
    ours[4][2, 3] = wrong
    together = difference(ours, right, TOLERANCE)
    request.getfixturevalue("one_by_one")
    assert together.problem and together == difference(ours, right, TOLERANCE)


def test_equal_infinities_are_no_difference():
    right, ours = tensors(9), tensors(9)
    ours[4][2, 3] = right[4][2, 3] = -math.inf
    ours[5][2, 3] = right[5][2, 3] = math.nan
    assert difference(ours, right, TOLERANCE).problem == ""


def test_each_tensor_has_its_own_tolerance():
    """Half precision beside single: a tolerance by type."""
    tolerance = dict(float16=dict(rtol=1e-2, atol=1e-2), float32=dict(rtol=1e-6, atol=0.0))
    right = tensors(2 * MANY)
    ours = [one.half() if at % 2 else one for at, one in enumerate(right)]
    assert difference(ours, right, tolerance).problem == ""
    assert difference([one.half().float() for one in right], right, tolerance).problem


def test_right_tensors_are_asked_for_together(monkeypatch):
    asked = []
    monkeypatch.setattr(compare, "_leaf_difference", lambda *given: asked.append(given) or compare.Difference())
    difference(tensors(MANY), tensors(MANY), TOLERANCE)
    assert not asked
    difference(tensors(MANY - 1), tensors(MANY - 1), TOLERANCE)
    assert len(asked) == MANY - 1


@pytest.mark.parametrize("as_on_device", [False, True])
def test_bits_of_many_tensors_are_compared_to_the_last(monkeypatch, as_on_device):
    if as_on_device:
        monkeypatch.setattr(outputs, "_is_on_device", torch.is_tensor)
    first = tensors(6)
    assert same_bits(first, [one.clone() for one in first])
    second = [one.clone() for one in first]
    second[5][4, 6] = second[5][4, 6].nextafter(torch.tensor(9.0))
    assert not same_bits(first, second)
    assert not same_bits(first, first[:5]) and not same_bits(first, [*first[:5], first[5].double()])
    first[2][0, 0] = math.nan
    assert same_bits(first, [one.clone() for one in first]), "NaN beside NaN: they are looked at one by one"


def test_a_fingerprint_of_many_tensors_reads_both_ends_of_each(monkeypatch):
    monkeypatch.setattr(arguments, "_are_on_one_device", lambda value: type(value) is list)
    monkeypatch.setattr(arguments, "READ_BYTES", 40)

    def mark(place, at):
        values = tensors(6, 30)
        values[place][at] += 1
        return arguments.fingerprint(values)

    usual = arguments.fingerprint(tensors(6, 30))
    assert usual == arguments.fingerprint(tensors(6, 30))
    assert len({usual, *(mark(place, at) for place in (0, 5) for at in (0, 9, 20, 29))}) == 9
    assert mark(3, 15) == usual, "the middle of a long one is not read"
    assert arguments.fingerprint(tensors(6, 30)) != arguments.fingerprint([torch.cat(tensors(6, 30))] * 6)


class Elsewhere(torch.Tensor):
    """A tensor that says that it is on another device than the CPU."""

    is_cpu = False

    @property
    def device(self):
        return torch.device("cuda", self.number)


def elsewhere(numbers):
    parts = [torch.randn(4).as_subclass(Elsewhere) for _ in numbers]
    for part, number in zip(parts, numbers, strict=True):
        part.number = number
    return parts


@pytest.mark.parametrize(("numbers", "together"), [((0, 1, 0, 1), False), ((1, 1, 1, 1), True)])
def test_only_tensors_on_one_device_are_looked_at_together(numbers, together, monkeypatch):
    monkeypatch.setattr(arguments, "is_dense", torch.is_tensor)
    monkeypatch.setattr(outputs, "is_dense", torch.is_tensor)
    parts = elsewhere(numbers)
    assert arguments._are_on_one_device(parts) == together
    assert outputs._same_at_once(parts, parts) == together


def test_steps_on_a_gpu_are_told_in_deterministic_mode_too(monkeypatch):
    """A median that names places raises there."""
    told = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        with FakeTensorMode():
            moved = torch.empty(8, 8, device="cuda")
            with pytest.raises(DataDependentOutputException):  # as far as a tensor without values gets
                training_state._steps([(moved, moved)])
    finally:
        torch.use_deterministic_algorithms(told)


@pytest.mark.parametrize("turned", [False, True])
def test_a_sample_of_a_large_part_keeps_no_copy_of_the_part(turned):
    part = torch.randn(2048, 512).t() if turned else torch.randn(2048, 512)
    kept = training_state._sample(part).untyped_storage()
    assert kept.data_ptr() == part.untyped_storage().data_ptr() or kept.nbytes() <= 4 * training_state.SAMPLE
