"""A pair that declares everything, for tests to write and to change."""

from pathlib import Path

TEXT = '''\
"""Multiply and add in one call, so that the product never goes to memory.

The lesson above is one sentence a stranger can act on. Then say why it works and what the model predicts: two calls
move 24 bytes for every float32 element (read b and c, write the product, read it with a, write the sum), one call
moves 16. The arithmetic is trivial, so the model says 1.5x.
"""

import torch

# The sizes the lesson is measured at: the parameters of `inputs` and `cost`.
workload = dict(elements=2**26)
# The sizes on a machine without a GPU; leave it out, and the pair is not timed there.
workload_cpu = dict(elements=2**22)
# Small and ragged, for verification and for --fast.
smoke = dict(elements=1_003)
# How far from the reference an answer may be, and why.
tolerance = dict(rtol=1e-6, atol=1e-6)  # float32: two roundings of 2**-24 each, on values of about 1
# What the baseline is: "naive", "idiomatic" (what people write first) or "vendor".
tier = "idiomatic"


def inputs(elements):
    """The arguments of all functions below; the harness sets seed and device."""
    return torch.randn(elements), torch.randn(elements), torch.randn(elements)


def reference(a, b, c):
    """Slow, obviously right, in a higher precision."""
    return a.double() + b.double() * c.double()


def baseline(a, b, c):
    """What people write first; every line is timed."""
    return a + b * c


def optimized(a, b, c):
    """The idea; every line is timed. Further variants are called optimized_<name>."""
    return torch.addcmul(a, b, c)


def cost(elements):
    """The arithmetic, the bytes that must move, and the bytes that the baseline moves."""
    return dict(flops=2 * elements, bytes=16 * elements, baseline_bytes=24 * elements)
'''


def write_new(name: str, folder: Path) -> Path:
    path = folder / f"{name}.py"
    path.write_text(TEXT, encoding="utf-8")
    return path
