"""Turn queries by their position in one kernel, so that each element crosses memory once.

Eager PyTorch writes the rotation as `x * cos + rotate_half(x) * sin`: a negation, a concatenation, two products and a
sum, each a pass over the tensor. One kernel loads both halves of a head, turns each pair of numbers in registers and
writes both halves; the cosines of a token are loaded once for all of its heads.
Predicts: 10 passes become 2, so 5x.
No gain where: a compiler or the attention kernel already fuses the rotation.
"""

import torch
import triton
import triton.language as tl

workload = dict(tokens=16_384, heads=32, dim=128, dtype="bfloat16")  # 128 MiB: larger than any L2
smoke = dict(tokens=37, heads=5, dim=24, dtype="float32")  # neither heads nor half a head fill a block
tolerance = dict(
    bfloat16=dict(rtol=2e-2, atol=2e-2),  # the baseline rounds products up to 4 and their sum at 2**-8 each
    float32=dict(rtol=1e-5, atol=2e-6),  # two products and a sum, rounded at 2**-24 each
)
tier = "idiomatic"
menu = ("both", "memory-bound")
counters = ("BYTES", "BASE")


def inputs(tokens, heads, dim, dtype):
    kind = getattr(torch, dtype)
    position = torch.randint(0, 100_000, (tokens, 1))  # tokens of many sequences, as a server packs them
    angle = position * 10_000.0 ** (-torch.arange(0, dim, 2) / dim)
    angle = torch.cat([angle, angle], -1)
    return torch.randn(tokens, heads, dim, dtype=kind), angle.cos().to(kind), angle.sin().to(kind)


domain = dict(cos="drawn", sin="drawn")  # both halves of a row are alike, and the squares of both tables sum to one


def reference(x, cos, sin):
    half = x.shape[-1] // 2
    first, second = x.double()[..., :half], x.double()[..., half:]
    c, s = cos.double()[:, None, :half], sin.double()[:, None, :half]
    return torch.cat([first * c - second * s, second * c + first * s], -1)


def rotate_half(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def baseline(x, cos, sin):
    return x * cos[:, None] + rotate_half(x) * sin[:, None]


@triton.jit
def turn_token(x_ptr, cos_ptr, sin_ptr, out_ptr, heads, half, HEADS: tl.constexpr, HALF: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head, column = tl.arange(0, HEADS), tl.arange(0, HALF)
    inside = column < half
    both = (head < heads)[:, None] & inside[None, :]
    cos = tl.load(cos_ptr + token * 2 * half + column, mask=inside, other=0.0).to(tl.float32)[None, :]
    sin = tl.load(sin_ptr + token * 2 * half + column, mask=inside, other=0.0).to(tl.float32)[None, :]
    place = (token * heads + head)[:, None] * 2 * half + column[None, :]
    first = tl.load(x_ptr + place, mask=both, other=0.0).to(tl.float32)
    second = tl.load(x_ptr + place + half, mask=both, other=0.0).to(tl.float32)
    tl.store(out_ptr + place, (first * cos - second * sin).to(out_ptr.dtype.element_ty), mask=both)
    tl.store(out_ptr + place + half, (second * cos + first * sin).to(out_ptr.dtype.element_ty), mask=both)


def optimized(x, cos, sin):
    x = x.contiguous()  # the kernel goes through tokens that lie one after the other
    out = torch.empty_like(x)
    tokens, heads, dim = x.shape
    blocks = dict(HEADS=triton.next_power_of_2(heads), HALF=triton.next_power_of_2(dim // 2))
    turn_token[(tokens,)](x, cos.contiguous(), sin.contiguous(), out, heads, dim // 2, **blocks)
    return out


def cost(tokens, heads, dim, dtype):
    size = getattr(torch, dtype).itemsize
    passed, tables = size * tokens * heads * dim, 2 * size * tokens * dim
    return dict(
        flops=3 * tokens * heads * dim,
        bytes=2 * passed + tables // 2,  # one half of a table is the other
        baseline_bytes=10 * passed + tables,
        launches=1,
        baseline_launches=5,
    )
