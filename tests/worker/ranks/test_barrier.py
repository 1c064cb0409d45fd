"""Where ranks meet: all come or none goes on, all hear the same, and each draws values of its own."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from perfproof.worker.measure.clocks import Reading
from perfproof.worker.ranks.barrier import Alone, Meeting
from perfproof.worker.ranks.slots import lay_out, ranks_behind

WORLD = 3


@pytest.fixture
def place(tmp_path):
    path = str(tmp_path / "meeting")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    lay_out(descriptor, WORLD)
    yield path, descriptor
    os.close(descriptor)


def together(path, work):
    """`work(meeting)` on every rank at once; what each returned."""
    with ThreadPoolExecutor(WORLD) as pool:
        return list(pool.map(lambda rank: work(Meeting(path, rank, WORLD)), range(WORLD)))


def test_all_ranks_hear_the_same_however_often_they_ask(place):
    def work(meeting):
        return [(meeting.most(meeting.rank * turn), meeting.least(meeting.rank + turn)) for turn in range(200)]

    assert together(place[0], work) == [[((WORLD - 1) * turn, turn) for turn in range(200)]] * WORLD


def test_nobody_goes_on_before_the_last_has_come(place):
    path, descriptor = place
    gone = threading.Event()

    def wait():
        Meeting(path, 0, WORLD).meet()
        gone.set()

    threads = [threading.Thread(target=wait), threading.Thread(target=Meeting(path, 1, WORLD).meet)]
    for thread in threads:
        thread.start()
    assert not gone.wait(0.2)
    assert ranks_behind(descriptor, WORLD) == [2], "who is waited for can be seen from outside"
    Meeting(path, 2, WORLD).meet()
    for thread in threads:
        thread.join()
    assert gone.is_set() and ranks_behind(descriptor, WORLD) == []


def test_a_reading_is_the_slowest_rank_s_and_each_keeps_its_own(place):
    def work(meeting):
        reading = meeting.timed(lambda: Reading(0, 1, 0.5 + meeting.rank, None))
        return reading.seconds, meeting.own_seconds(1)

    assert together(place[0], work) == [(2.5, {"own_seconds": [0.5 + rank]}) for rank in range(WORLD)]


def test_constants_are_drawn_alike_and_the_rest_is_not(place):
    def draw(seed, sets):
        generator = torch.Generator().manual_seed(seed)
        return [tuple(torch.randn(8, generator=generator) for _ in range(2)) for _ in range(sets)]

    def work(meeting):
        own = meeting.draw(draw, ("x", "weight"), ("weight",))
        return own(7, 1), own(8, 3)

    drawn = together(place[0], work)
    firsts = [first for (first,), _ in drawn]
    assert all(torch.equal(own[1], firsts[0][1]) for own in firsts), "the pool keeps the constants of its first draw"
    assert len({own[0][0].item() for own in firsts}) == WORLD
    later = [one[0][0].item() for _, sets in drawn for one in sets]
    assert len(set(later)) == 3 * WORLD


def test_unequal_values_are_seen_by_all(place):
    same = {"a": torch.arange(3), "b": (1.5, "text", None)}
    assert together(place[0], lambda meeting: meeting.unequal(same)) == [False] * WORLD

    def work(meeting):
        return meeting.unequal((torch.arange(3) + (meeting.rank == 1),))

    assert together(_fresh(place[0]), work) == [True] * WORLD


def test_who_is_alone_agrees_with_himself():
    alone = Alone()
    reading = Reading(0, 1, 0.5, None)
    assert (alone.most(2.0), alone.least(3.0), alone.timed(lambda: reading)) == (2.0, 3.0, reading)
    assert alone.own_seconds(5) == {} and not alone.unequal(1)


def _fresh(path):
    """A new meeting place: those who came before have counted on."""
    with open(path + "-fresh", "wb+") as file:
        lay_out(file.fileno(), WORLD)
    return path + "-fresh"
