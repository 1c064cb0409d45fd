"""What a worker makes of samples behind a held queue: who is slow to launch, and who waits for the device."""

from types import SimpleNamespace

import pytest

from perfproof.worker.row import Row
from perfproof.worker.sampler import HOLD_LEAST, HOLD_MOST, HOLD_SPARE, Sampler


class Queue(Sampler):
    """Sides of a device whose queue is held: a call that waits takes the hold longer, any other as long as ever."""

    def __init__(self, enqueue, waiting):
        super().__init__(SimpleNamespace(sides={name: SimpleNamespace(name=name) for name in enqueue}))
        self._enqueue, self._primed, self.waiting = dict(enqueue), False, waiting

    def sample(self, side, calls, warm):
        assert self._primed and warm
        held = self._hold_seconds(side.name, calls) if side.name in self.waiting else 0.0
        return Row(0, 0, 1e-3, enqueue_seconds=self._enqueue[side.name] + held / calls, clock_hz=1.98e9)


@pytest.mark.parametrize("enqueue", [5e-6, 1e-3, 30e-3])
def test_a_call_that_takes_the_hold_longer_to_queue_waits_for_the_device(enqueue):
    queue = Queue({"baseline": enqueue, "optimized": enqueue}, waiting={"baseline"})
    held = queue._held_seconds({"baseline": 1e-4, "optimized": 1e-2}, 1e-3)
    assert held == {"baseline": 1e-3, "optimized": 1e-3}
    assert queue._waits == {"baseline": True, "optimized": False} and not queue._primed


def test_a_queue_is_held_for_longer_than_queueing_took_but_not_for_ever():
    queue = Queue({"baseline": 1e-5}, waiting=())
    assert queue._hold_seconds("baseline", 10) == pytest.approx(HOLD_SPARE * 1e-4 + HOLD_LEAST)
    assert queue._hold_seconds("baseline", 10**6) == HOLD_MOST


@pytest.mark.parametrize("room", [True, False])
def test_a_copy_that_is_kept_leaves_as_much_free_memory_as_it_found(room):
    """An allocator that hands out the block freed last, as a device's does: the next call finds what the last left."""
    free, taken = ["of the result"], []

    class Block:
        def __init__(self):
            self.name = free.pop() if free else f"new {len(taken)}"
            taken.append(self.name)

        def __del__(self):
            free.append(self.name)

    sampler = Sampler.__new__(Sampler)
    sampler._has_room = room
    kept = sampler._beside(Block)
    assert len(free) == room and kept.name not in free
