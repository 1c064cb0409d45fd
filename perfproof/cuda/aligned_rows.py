"""Tensors and rows that begin at multiples of 16 bytes, as `cp.async`, the copy engine and vector loads need them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

ALIGNED = 16  # bytes


def aligned(x: "torch.Tensor") -> "torch.Tensor":
    """The tensor itself, or a contiguous copy: a view may have strides, and begin at any element."""
    x = x.contiguous()
    return x if x.data_ptr() % ALIGNED == 0 else x.clone()


def aligned_rows(x: "torch.Tensor") -> "torch.Tensor":
    """The matrix itself, or a copy that is contiguous and aligned; zeros fill each row to a multiple of 16 bytes."""
    import torch

    if missing := -x.shape[1] % (ALIGNED // x.element_size()):
        return torch.nn.functional.pad(x, (0, missing))
    return aligned(x)
