"""Output is kept up to a size, its beginning and its end; a writer is never held up."""

import subprocess

from perfproof.triage.capture import Capture


def written(tmp_path, data, limit):
    capture = Capture(tmp_path / "pipe", limit)
    with open(tmp_path / "pipe", "wb") as pipe:
        subprocess.run(["cat"], input=data, stdout=pipe, check=True)
    return capture, capture.close()


def test_a_short_output_is_kept_whole(tmp_path):
    capture, kept = written(tmp_path, b"one\ntwo\n", 100)
    assert kept == b"one\ntwo\n"
    assert capture.left_out == 0


def test_of_a_long_output_both_ends_are_kept_and_the_gap_is_told(tmp_path):
    data = b"A" * 1000 + b"-" * 3_000_000 + b"Z" * 1000
    capture, kept = written(tmp_path, data, 4000)
    assert kept.startswith(b"A" * 1000) and kept.endswith(b"Z" * 1000)
    assert capture.left_out == len(data) - 4000
    assert f"[{capture.left_out} bytes left out]".encode() in kept


def test_a_program_that_prints_nothing_leaves_nothing(tmp_path):
    capture = Capture(tmp_path / "pipe", 100)
    assert capture.close() == b""
    assert list(tmp_path.iterdir()) == []
