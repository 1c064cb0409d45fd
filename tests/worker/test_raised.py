"""What a worker says when something fails in it: one line, with the line of the pair's own code."""

import pytest
import torch

from perfproof.worker.raised import NO_ROOM, defined_at, imported_from, one_line, told
from perfproof.worker.verify.outputs import argument_problem

LONG = (
    "CUDA out of memory. Tried to allocate 64.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 12 GiB is free."
    " Including non-PyTorch memory, this process has 127.49 GiB memory in use. See documentation for Memory Management"
)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("two\nlines"), "ValueError: two"),
        (KeyError(), "KeyError"),
        (
            torch.OutOfMemoryError(LONG),
            f"OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 GiB{NO_ROOM}",
        ),
    ],
)
def test_an_error_is_one_line_with_what_to_do(error, line):
    assert one_line(error) == line


def raised(tmp_path, body):
    """What a function of a file of the user's raises when the harness calls it."""
    path = tmp_path / "mine.py"
    path.write_text(body)
    names: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    try:
        argument_problem((torch.zeros(2),), names["Names"]())
    except Exception as error:
        return path, error
    raise AssertionError("nothing was raised")


BODY = """\
import json

class Names(tuple):
    def __iter__(self):
        return iter(json.loads("{"))
"""


def test_an_exception_is_shown_with_the_last_line_of_the_user_s_own_file(tmp_path):
    path, error = raised(tmp_path, BODY)
    assert one_line(error).startswith("JSONDecodeError: ")
    assert one_line(error).endswith(f"({path}:5, in __iter__)")


def test_the_traceback_has_the_user_s_lines_and_the_library_s_but_none_of_the_harness(tmp_path):
    path, error = raised(tmp_path, BODY)
    text = told(error)
    assert str(path) in text and "json" in text and "verify/outputs.py" not in text


def test_a_mistake_of_the_harness_itself_keeps_its_traceback():
    try:
        argument_problem((1,), ())
    except ValueError as error:
        text = told(error.with_traceback(error.__traceback__.tb_next))
    assert "outputs.py" in text


def test_a_function_is_named_with_its_file_and_line():
    assert defined_at(raised).endswith(", in raised)") and "test_raised.py:" in defined_at(raised)
    assert defined_at(len) == ""


def test_a_side_that_the_file_imports_is_named_by_its_own_file():
    assert imported_from(test_a_side_that_the_file_imports_is_named_by_its_own_file).endswith("own_file)")
    assert "test_raised.py:" in imported_from(raised)
    own = type(raised)(raised.__code__, {}, "own")
    own.__module__ = "_pair_3_sums"
    assert imported_from(own) == imported_from(len) == imported_from(torch.nn.functional.relu) == ""
