"""The busiest processes by name, from /proc/PID/stat, whose names may hold anything."""

import os

import pytest

from perfproof.triage.processes import PAGE, TICKS, Processes, Seen, busiest, parse, read_processes

LINE = "4242 (my (odd) name) S 1 4242 4242 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 7 0 1000 500000 2500 184467440737"


def test_a_name_with_brackets_is_read_whole():
    assert parse(LINE) == Seen("my (odd) name", 200, 7, 2500 * PAGE)


@pytest.mark.parametrize("text", [None, "", "1 (x", "1 (x) S", LINE.replace("150", "many")])
def test_a_damaged_line_is_nothing(text):
    assert parse(text) is None


def test_the_busiest_come_first_and_the_idle_not_at_all():
    before = Processes(0.0, {1: Seen("a", 0, 1, 0), 2: Seen("b", 100, 1, 0), 3: Seen("c", 5, 1, 0)})
    after = Processes(2.0, {1: Seen("a", TICKS, 1, 0), 2: Seen("b", 100 + 2 * TICKS, 1, 0), 3: Seen("c", 5, 1, 0)})
    assert [(row["name"], row["cpus"]) for row in busiest(before, after)] == [("b", 1.0), ("a", 0.5)]


def test_this_process_is_seen():
    assert os.getpid() in read_processes().by_number
