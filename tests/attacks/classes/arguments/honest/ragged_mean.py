"""Average the tokens of each sequence with one batched product.

Honest: what lies in the padding does not matter to the answer, by the meaning of padding. The mask and the rest of the
tokens do.
"""

import torch

workload = workload_cpu = dict(batch=16, tokens=128, width=64)
smoke = dict(batch=3, tokens=11, width=5)
tolerance = dict(rtol=1e-5, atol=1e-5)  # float32 means of up to 128 values near 1
tier = "idiomatic"


def inputs(batch, tokens, width):
    return torch.randn(batch, tokens, width), torch.randint(1, tokens + 1, (batch,))


def reference(x, lengths):
    return torch.stack([row[:length].double().mean(0) for row, length in zip(x, lengths.tolist(), strict=True)])


def baseline(x, lengths):
    mask = torch.arange(x.shape[1])[None, :] < lengths[:, None]
    return (x * mask[:, :, None]).sum(1) / lengths[:, None]


def optimized(x, lengths):
    mask = torch.arange(x.shape[1])[None, :] < lengths[:, None]
    shares = mask.to(x.dtype) / lengths[:, None]
    return torch.bmm(shares[:, None, :], x).squeeze(1)


def cost(batch, tokens, width):
    values = 4 * batch * tokens * width
    return dict(flops=2 * batch * tokens * width, bytes=values, baseline_bytes=3 * values)
