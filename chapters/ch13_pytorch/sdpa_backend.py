"""Say `is_causal=True` instead of handing a mask to attention: only then may it use its fastest kernel.

`scaled_dot_product_attention` chooses a backend by its arguments. A tensor as mask rules out the flash kernel on a GPU.
The kernel that is left reads a mask of length times length for each head, and computes all scores, also those that the
mask removes. With `is_causal` the kernel knows the triangle: it skips the blocks above it and reads no mask. Predicts:
half the flops, 2x for long sequences. No gain where: sequences are a few blocks long. The mask is made beforehand.
"""

import torch
from torch.nn.functional import scaled_dot_product_attention

workload = dict(batch=4, heads=16, length=4_096, head=64, dtype="bfloat16")
workload_cpu = dict(batch=1, heads=4, length=512, head=32, dtype="float32")
smoke = dict(batch=2, heads=3, length=77, head=16, dtype="float32")
tolerance = dict(
    bfloat16=dict(rtol=2e-2, atol=4e-3),  # weights and means rounded at 2**-9; late rows average thousands: near 0.02
    float32=dict(rtol=1e-4, atol=1e-5),  # means with weights from an exponential, at 2**-24
)
tier = "idiomatic"
menu = ("both", "compute-bound")


def inputs(batch, heads, length, head, dtype):
    return tuple(torch.randn(3, batch, heads, length, head, dtype=getattr(torch, dtype)))


def reference(query, key, value):
    """One head at a time: a matrix of scores in float64 for all of them would be gigabytes."""
    out, place = torch.empty_like(query, dtype=torch.float64), torch.arange(query.shape[2])
    for batch, head in torch.cartesian_prod(torch.arange(query.shape[0]), torch.arange(query.shape[1])).tolist():
        scores = query[batch, head].double() @ key[batch, head].double().T / query.shape[-1] ** 0.5
        scores.masked_fill_(place > place[:, None], -torch.inf)
        out[batch, head] = scores.softmax(-1) @ value[batch, head].double()
    return out


def prepare_baseline(query, key, value):
    length = query.shape[2]
    return torch.ones(length, length, dtype=torch.bool, device=query.device).tril()


def baseline(mask, query, key, value):
    return scaled_dot_product_attention(query, key, value, attn_mask=mask)


def optimized(query, key, value):
    return scaled_dot_product_attention(query, key, value, is_causal=True)


def cost(batch, heads, length, head, dtype):
    full = 4 * batch * heads * length**2 * head
    return dict(
        flops=full // 2,
        bytes=4 * batch * heads * length * head * getattr(torch, dtype).itemsize,
        baseline_flops=full,
        optimized_flops=full // 2,
    )
