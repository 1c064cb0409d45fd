"""Replace a branch on a tensor's value by arithmetic: the compiler then sees one graph instead of two halves.

`if largest > LIMIT` needs a number on the host. The compiler ends its graph there, the host waits for the device, and a
second graph begins: what the first one computed goes to memory and comes back, 24 bytes per float32 value. `clamp` says
the same without a branch. The whole function is one graph: it reads its argument for the maximum and again for the
result, 12 bytes. `fullgraph=True` makes a break an error. Predicts: 2x. No gain where: products take the time.
"""

import torch
from torch.nn.functional import gelu, silu

LIMIT = 3.0

workload = dict(rows=8_192, cols=2_048)  # 64 MiB of float32 per batch
workload_cpu = dict(rows=64, cols=1_024)
smoke = dict(rows=5, cols=77)
constant = ("gain",)
tolerance = dict(rtol=1e-5, atol=2e-6)  # a few float32 operations on values up to 3, rounded at 2**-24
tier = "idiomatic"
menu = ("both", "launch-bound")


def inputs(rows, cols):
    """Two batches: the values of one stay below the limit, those of the other do not."""
    return torch.randn(rows, cols) / 5, torch.randn(rows, cols) * 2, torch.rand(cols) + 0.5


def reference(quiet, loud, gain):
    answers = []
    for wide in (quiet.double(), loud.double()):
        hidden = wide / (1 + torch.exp(-wide)) * gain.double()
        largest = hidden.abs().max()
        if largest > LIMIT:
            hidden = hidden * (LIMIT / largest)
        answers.append(hidden * (1 + torch.erf(hidden / 2**0.5)) / 2 + wide)
    return tuple(answers)


def with_branch(x, gain):
    hidden = silu(x) * gain
    largest = hidden.abs().max()
    if largest > LIMIT:
        hidden = hidden * (LIMIT / largest)
    return gelu(hidden) + x


def without_branch(x, gain):
    hidden = silu(x) * gain
    hidden = hidden * (LIMIT / hidden.abs().max()).clamp(max=1.0)
    return gelu(hidden) + x


def prepare_baseline(quiet, loud, gain):
    return torch.compile(with_branch, dynamic=False)


def baseline(compiled, quiet, loud, gain):
    return compiled(quiet, gain), compiled(loud, gain)


def prepare_optimized(quiet, loud, gain):
    return torch.compile(without_branch, fullgraph=True, dynamic=False)


def optimized(compiled, quiet, loud, gain):
    return compiled(quiet, gain), compiled(loud, gain)


def cost(rows, cols):
    count = 2 * rows * cols
    return dict(flops=30 * count, bytes=8 * count, baseline_bytes=24 * count, optimized_bytes=12 * count)
