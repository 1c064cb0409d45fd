"""A wrong answer that looks like that of a lower precision: the message says how to declare one."""

from typing import Any

from perfproof.core.trees import holds_buffers
from perfproof.worker.verify.compare import Difference

PRECISELY = 'compute in the baseline\'s precision, or declare what it computes in, such as lowers_precision = "bf16"'
ROUNDED, SHARE = 2.0**-6, 0.1  # relative error (that of fp8), and share of the elements that are beyond the tolerance


def meant(apart: Difference, values: Any) -> str:
    """A small error nearly everywhere is that of a lower precision, which may be meant; a few wrong numbers are not.

    `values` are the arguments and the result: numbers of Python alone have one precision.
    """
    is_rounding = 0.0 < apart.rms_relative < ROUNDED and apart.wrong > SHARE and holds_buffers(values)
    return f"; a lower precision has errors of this size: {PRECISELY}" if is_rounding else ""
