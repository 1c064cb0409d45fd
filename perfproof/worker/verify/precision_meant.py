"""A wrong answer that looks like that of a lower precision: the message says how to declare one."""

from perfproof.worker.verify.compare import Difference

PRECISELY = 'compute in the baseline\'s precision, or declare what it computes in, such as lowers_precision = "bf16"'
ROUNDED, SHARE = 2.0**-6, 0.1  # relative error (that of fp8), and share of the elements that are beyond the tolerance


def meant(apart: Difference) -> str:
    """A small error nearly everywhere is that of a lower precision, which may be meant; a few wrong numbers are not."""
    is_rounding = 0.0 < apart.rms_relative < ROUNDED and apart.wrong > SHARE
    return f"; a lower precision has errors of this size: {PRECISELY}" if is_rounding else ""
