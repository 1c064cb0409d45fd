"""What a worker says when something fails in it: one line."""

import pytest
import torch

from perfproof.worker.serve import NO_ROOM, _one_line

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
    assert _one_line(error) == line
