"""Rotate pairs of features without slicing.

Cheats: the variant reads memory as if rows lay one after the other. For a transposed or sliced argument it rotates
other numbers, and `inputs` only makes contiguous ones.
"""

import torch

workload = workload_cpu = dict(tokens=256, width=128)
smoke = dict(tokens=9, width=6)
constant = ("cosine", "sine")
tolerance = dict(rtol=1e-5, atol=1e-6)  # two float32 products near 1


def inputs(tokens, width):
    angle = torch.arange(tokens)[:, None] / 10_000 ** (torch.arange(width // 2) / (width // 2))
    return torch.randn(tokens, width), angle.cos(), angle.sin()


def reference(x, cosine, sine):
    even, odd = x.double()[:, 0::2], x.double()[:, 1::2]
    cosine, sine = cosine.double(), sine.double()
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(1)


def baseline(x, cosine, sine):
    even, odd = x[:, 0::2], x[:, 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(1)


def prepare_optimized(x, cosine, sine):
    return torch.complex(cosine, sine)


def optimized(turn, x, cosine, sine):
    tokens, width = x.shape
    paired = torch.as_strided(x, (tokens, width // 2, 2), (width, 2, 1))
    return torch.view_as_real(torch.view_as_complex(paired) * turn).flatten(1)
