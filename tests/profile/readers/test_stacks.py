"""Collapsed stacks."""

import contextlib
import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile.readers.stacks import read, recognises

STACKS = "main (train.py:3);step (train.py:9);load batch 12\nmain (train.py:3);step (train.py:9) 5\n"


def test_each_stack_is_a_total_from_the_outermost_frame(write):
    events = read(write(STACKS + "main (train.py:3);step (train.py:9) 2\n"))
    assert [(total.path[-1], total.values["samples"]) for total in events.totals] == [
        ("load batch", 12),
        ("step (train.py:9)", 7),
    ]
    assert "no times" in events.unknown["timeline"] and len(events) == 0


def test_lines_that_are_none_are_left_out_and_said(write):
    events = read(write(STACKS + "\nno number\n7\nhuge " + "9" * 50 + "\n"))
    assert len(events.totals) == 2 and events.warnings == ["3 lines are no stacks and were left out"]


@pytest.mark.parametrize("content", ["", "\n\n", "hello\n", "12\n"])
def test_a_file_without_stacks_is_refused(write, content):
    with pytest.raises(DocumentError, match="no line of the form"):
        read(write(content))


def test_a_packed_line_without_end_is_refused(write):
    with pytest.raises(DocumentError, match="line 3: longer than 4 MiB"):
        read(write(gzip.compress(STACKS.encode() + b"a;" * (3 * 2**20) + b"b 5\n")))
    assert len(read(write(gzip.compress(STACKS.encode()))).totals) == 2


def test_stacks_are_recognised_by_every_line_having_a_count():
    path = Path("x")
    assert recognises(path, STACKS.encode()) and recognises(path, (STACKS * 30).encode()[:-4])
    assert not recognises(path, b"") and not recognises(path, b"a;b\n") and not recognises(path, b"plain 5\n")


@given(st.binary(max_size=80))
def test_no_bytes_crash_the_reader(content):
    recognises(Path("x"), content)
    with tempfile.NamedTemporaryFile() as file, contextlib.suppress(DocumentError):
        file.write(content)
        file.flush()
        read(Path(file.name))
