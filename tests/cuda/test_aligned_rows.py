"""Rows for copies of 16 bytes: zeros fill them, and what is aligned already is not copied."""

import itertools

import pytest
import torch

from perfproof import cuda


@pytest.mark.parametrize(("dtype", "width"), [(torch.bfloat16, 11), (torch.float32, 5), (torch.int8, 17)])
def test_rows_are_filled_to_sixteen_bytes_with_zeros(dtype, width):
    x = torch.arange(3 * width).view(3, width).to(dtype)
    rows = cuda.aligned_rows(x)
    assert rows.stride(0) * rows.element_size() % 16 == 0 and rows.data_ptr() % 16 == 0
    assert torch.equal(rows[:, :width], x) and not rows[:, width:].any()


def test_what_is_aligned_is_handed_on_and_what_begins_elsewhere_is_copied():
    x = torch.arange(65.0)
    whole, shifted, turned = x[:64].view(8, 8), x[1:].view(8, 8), x[:64].view(8, 8).T
    assert cuda.aligned_rows(whole).data_ptr() == whole.data_ptr()
    assert cuda.aligned(whole).data_ptr() == whole.data_ptr()
    for other, make in itertools.product((shifted, turned), (cuda.aligned, cuda.aligned_rows)):
        rows = make(other)
        assert torch.equal(rows, other) and rows.is_contiguous() and rows.data_ptr() % 16 == 0
