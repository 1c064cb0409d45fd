"""What the records of a test say: tokens that came together, and where the steady window begins."""

import pytest

from perfproof.load.measures import steady_window, window_of
from perfproof.load.record import Record


def answer(index, at, times, tokens=None):
    tokens = tokens or [1] * len(times)
    ends = {"first_token": times[0], "last_token": times[-1], "end": times[-1], "output_tokens": sum(tokens)}
    return Record(index, at, at, sent=at, times=times, tokens=tokens, outcome="ok", **ends)


def figures(records):
    return {one.name: one for one in window_of(records, 0.0, 100.0).figures}


def test_events_that_were_read_together_give_the_times_of_one_event_with_their_tokens():
    apart = answer(0, 0.0, [1.0] * 3 + [1.3] * 3 + [1.6] * 3)
    whole = answer(0, 0.0, [1.0, 1.3, 1.6], [3, 3, 3])
    assert apart.tpot == whole.tpot == pytest.approx(0.1)
    found, expected = figures([apart])["inter-token time"], figures([whole])["inter-token time"]
    assert found.mean == expected.mean == pytest.approx(0.1)


def test_an_answer_in_one_piece_has_no_time_per_token():
    held_back = answer(0, 0.0, [2.0] * 12)
    assert held_back.ttft == 2.0 and held_back.tpot is None
    assert not {"TPOT", "inter-token time"} & figures([held_back]).keys()


def test_a_pause_of_the_server_does_not_move_the_beginning_of_the_steady_window():
    paused = (4.0, 6.0)  # nothing is answered in the middle of a test of ten seconds
    records = []
    for index in range(100):
        at = index / 10
        end = at + 0.2
        records.append(answer(index, at, [end + 2.0 if paused[0] < end and at < paused[1] else end]))
    start, end = steady_window(records)
    assert start < 1.0 and end == pytest.approx(9.9)
