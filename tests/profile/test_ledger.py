"""Births and releases become rows with a beginning and an end."""

from perfproof.core.events import Events, Kind
from perfproof.profile.ledger import Held, Ledger


def rows(events):
    return [
        (row.start_ns, row.end_ns, row.bytes, row.args.get("released", True)) for row in events.rows(Kind.ALLOCATION)
    ]


def test_an_allocation_lasts_from_its_birth_to_its_release():
    events = Events("test")
    ledger = Ledger(events)
    ledger.born(1, Held("gpu2", 10, 100, thread=7, stack=("main", "f")))
    assert ledger.size("gpu2", 1) == 100
    assert ledger.released("gpu2", 1, 30) == 100
    (row,) = events.rows(Kind.ALLOCATION)
    assert (row.device, row.thread, row.args) == (2, 7, {"memory": "gpu2", "stack": ["main", "f"]})
    assert rows(events) == [(10, 30, 100, True)]


def test_an_address_given_twice_was_released_in_between():
    events = Events("test")
    ledger = Ledger(events)
    ledger.born(1, Held("gpu0", 10, 100))
    ledger.born(1, Held("gpu0", 20, 200))
    assert ledger.released("gpu0", 99, 25) == 0  # born before the recording began
    ledger.close()
    assert rows(events) == [(10, 20, 100, True), (20, 25, 200, False)]


def test_the_same_address_of_another_memory_is_another():
    events = Events("test")
    ledger = Ledger(events)
    ledger.born(1, Held("gpu0", 10, 100))
    ledger.born(1, Held("cpu", 20, 200))
    ledger.passed(50)
    ledger.close()
    assert rows(events) == [(10, 50, 100, False), (20, 50, 200, False)]
    assert [row.device for row in events.rows(Kind.ALLOCATION)] == [0, -1]
