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
    data = (b"A" * 99 + b"\n") * 10 + (b"-" * 99 + b"\n") * 30_000 + (b"Z" * 99 + b"\n") * 10
    capture, kept = written(tmp_path, data, 4000)
    assert kept.startswith(b"A" * 99 + b"\n") and kept.endswith((b"Z" * 99 + b"\n") * 10)
    assert len(data) - 4000 <= capture.left_out <= len(data) - 2000
    assert f"[{capture.left_out} bytes left out]".encode() in kept


def test_the_cut_never_falls_inside_of_a_word_that_may_be_a_secret(tmp_path):
    secret = b"correct-horse-battery"
    for shift in range(0, 80, 7):
        data = b"x" * shift + (b"password:\n" + secret + b"\n") * 400
        _, kept = written(tmp_path, data, 1000)
        words = kept.replace(b"\n", b" ").split()[1 if shift else 0 :]
        assert {word for word in words if b"horse" in word or b"correct" in word or b"battery" in word} <= {secret}
        before, _, after = kept.partition(b"bytes left out]\n")
        assert before and not after.startswith(b"horse")


def test_a_line_without_end_is_cut_between_two_words(tmp_path):
    _, kept = written(tmp_path, b"tokens-of-a-line " * 40_000, 400_000)
    assert set(kept.replace(b"\n", b" ").split()) <= {
        b"tokens-of-a-line",
        b"bytes",
        b"left",
        b"out]",
        kept.split(b"[")[1].split()[0].join([b"[", b""]),
    }


def test_a_program_that_prints_nothing_leaves_nothing(tmp_path):
    capture = Capture(tmp_path / "pipe", 100)
    assert capture.close() == b""
    assert list(tmp_path.iterdir()) == []
