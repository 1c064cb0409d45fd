"""How a command failed: its exception first, then its last lines."""

from perfproof.triage.failure import ending, last_words

TRACE = b"""loading
Traceback (most recent call last):
  File "train.py", line 3, in <module>
torch.cuda.OutOfMemoryError: CUDA out of memory.
cleaning up
"""


def test_the_exception_comes_before_the_last_lines():
    assert last_words(TRACE, b"step 1")[0].startswith("torch.cuda.OutOfMemoryError")
    assert last_words(TRACE, b"step 1")[-1] == "cleaning up"


def test_a_command_that_complains_on_its_output_is_heard():
    assert last_words(b"", b"step 1\nfatal: no such file\n")[0] == "fatal: no such file"


def test_a_command_that_says_nothing_has_no_last_words():
    assert last_words(b"", b"\n") == []


def test_an_unknown_number_is_an_exit_code():
    assert ending(255) == "ended with exit code 255" and "SIGABRT" in ending(-6)
