"""What took long to make is kept for the workers to come, if it can be, and read as it was."""

import sys
from types import SimpleNamespace

import pytest
import torch

from perfproof.worker import load, shelf
from perfproof.worker.load import Side


@pytest.fixture
def file(tmp_path):
    return shelf.place(tmp_path, "prepared", 7, "optimized")


def test_a_value_is_read_as_it_was_kept(file):
    shelf.keep(([torch.arange(3), {"a": 1.5}], 9.0), file)
    (tensors, seconds), none = shelf.read(file, "cpu"), shelf.read(file.with_name("other"), "cpu")
    assert torch.equal(tensors[0], torch.arange(3)) and seconds == 9.0 and none is None


def test_places_differ_by_what_tells_them_apart(tmp_path):
    places = {shelf.place(tmp_path, what, *told) for what in ("a", "b") for told in ((1, "x"), (2, "x"), (1, "y"))}
    assert len(places) == 6 and all(place.parent == tmp_path for place in places)


@pytest.mark.parametrize("value", [lambda: 1, sys, open(__file__)], ids=["lambda", "module", "file"])  # noqa: SIM115
def test_what_cannot_be_pickled_is_not_kept(file, value):
    shelf.keep(value, file)
    assert list(file.parent.iterdir()) == []


def test_a_file_that_was_cut_off_is_none(file):
    file.write_bytes(b"PK")
    assert shelf.read(file, "cpu") is None


@pytest.mark.parametrize("value", [torch.nn.Linear(2, 2), torch.ones(3, requires_grad=True)], ids=["module", "tensor"])
def test_what_would_lose_its_gradients_is_not_kept(file, value):
    sum(leaf.sum() for leaf in (value.parameters() if isinstance(value, torch.nn.Module) else [value])).backward()
    shelf.keep([value], file)
    assert not file.exists()


@pytest.mark.parametrize(("place", "moved"), [("cpu", False), ("cuda:0", True)])
def test_what_was_on_the_host_stays_there(place, moved):
    storage = SimpleNamespace(cuda=lambda device: f"on {device}")
    assert (shelf._where(storage, place, "cuda:1") == "on cuda:1") is moved


# a side's preparation


def prepared(file, calls, constant=2.0):
    def prepare(x):
        calls.append(x)
        return [constant * torch.ones(3)]

    side = Side("optimized", lambda state, x: state[0] + x, prepare)
    side.make_ready(lambda: (len(calls),), "cpu", file)
    return side


def test_a_preparation_that_takes_long_is_done_once_and_its_seconds_are_still_known(file, monkeypatch):
    monkeypatch.setattr(load, "SLOW_SECONDS", -1.0)
    calls = []
    first, second = prepared(file, calls), prepared(file, calls)
    assert len(calls) == 1 and torch.equal(first.state[0][0], second.state[0][0])
    assert second.setup_seconds == first.setup_seconds and second.function(*second.state, 1.0)[0] == 3.0


def test_a_short_one_is_done_by_everyone(file):
    calls = []
    prepared(file, calls), prepared(file, calls)
    assert len(calls) == 2 and not file.exists()


def test_without_a_file_it_is_done_by_everyone(monkeypatch):
    monkeypatch.setattr(load, "SLOW_SECONDS", -1.0)
    calls = []
    prepared(None, calls), prepared(None, calls)
    assert len(calls) == 2


CACHE: dict = {}


def with_effect(effect):
    def prepare(x):
        return effect(x)

    return prepare


@pytest.mark.parametrize(
    "prepare",
    [
        with_effect(lambda x: CACHE.setdefault(len(CACHE), torch.ones(3))),  # fills a global
        with_effect(lambda x: globals().update(LATEST=object()) or torch.ones(3)),  # sets one
        with_effect(lambda x: sys.modules.__setitem__("made_up", sys) or torch.ones(3)),  # imports something
        with_effect(lambda x: x[0].view(-1)),  # shares memory with an argument
        with_effect(lambda x: torch.nn.Linear(2, 2)),  # an object, which may do something when it is made
        with_effect(lambda x: {1, 2}),
    ],
    ids=["fills", "sets", "imports", "shares", "object", "set"],
)
def test_a_preparation_that_does_more_than_return_data_is_done_by_everyone(file, monkeypatch, prepare):
    monkeypatch.setattr(load, "SLOW_SECONDS", -1.0)
    monkeypatch.delitem(sys.modules, "made_up", raising=False)
    Side("optimized", None, prepare).make_ready(lambda: ([torch.ones(2, 2)],), "cpu", file)
    assert not file.exists()
