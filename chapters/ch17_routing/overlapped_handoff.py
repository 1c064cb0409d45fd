"""Send each layer's keys and values while the next layer is computed, instead of all of them at the end.

A layer's part of the cache is final as soon as the layer has run. Sent after the last layer, the whole transfer stands
behind the whole prompt: compute + transfer. Sent layer by layer, all but the last layer's transfer runs beside the
computing: the longer of the two, and one layer of the other.
Predicts: (compute + transfer) / (max of both + one layer of the shorter one).
No gain where: the processor that computes also moves the bytes, as a CPU does through a loopback socket, or where the
transfer is short beside the computing.
"""

import torch
import torch.distributed as dist
from torch.nn.functional import scaled_dot_product_attention

FLOPS_PER_BYTE = 2_000  # that are computed in the time in which the link moves a byte

workload = dict(layers=8, tokens=4_096, width=2_048)
workload_cpu = dict(layers=4, tokens=192, width=128)
smoke = dict(layers=3, tokens=37, width=24)
ranks = 2
constant = ("projections", "mixers")
tolerance = dict(rtol=1e-3, atol=1e-4)  # float32 through a few layers: each rounds at 2**-24 of its sum
tier = "idiomatic"
menu = ("inference", "communication-bound")


def inputs(layers, tokens, width):
    """Each rank computes prompts for the other; all have the same weights."""
    x = torch.randn(tokens, width)
    return x, torch.randn(layers, width, 3 * width) / width**0.5, torch.randn(layers, width, width) / width**0.5


def other():
    return 1 - dist.get_rank()


def layer(x, projection, mixer):
    """One layer of prefill: the new activations, and the keys and values that decoding needs."""
    normed = x / x.square().mean(-1, keepdim=True).add(1e-6).sqrt()
    q, k, v = (normed @ projection).chunk(3, -1)
    attended = scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    return x + attended @ mixer, torch.stack([k, v])


def exchange(cache, into):
    """Start sending this rank's part and receiving the other's."""
    return dist.batch_isend_irecv([dist.P2POp(dist.isend, cache, other()), dist.P2POp(dist.irecv, into, other())])


def reference(x, projections, mixers):
    both = [torch.empty_like(x) for _ in range(2)]
    dist.all_gather(both, x)
    theirs, parts = both[other()].double(), []
    for projection, mixer in zip(projections.double(), mixers.double(), strict=True):
        normed = theirs / theirs.square().mean(-1, keepdim=True).add(1e-6).sqrt()
        q, k, v = (normed @ projection).chunk(3, -1)
        scores = q @ k.T / q.shape[-1] ** 0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        theirs = theirs + scores.masked_fill(later, float("-inf")).softmax(-1) @ v @ mixer
        parts.append(torch.stack([k, v]))
    return torch.stack(parts)


def prepare_baseline(x, projections, mixers):
    return torch.empty(len(projections), 2, *x.shape)


def baseline(received, x, projections, mixers):
    caches = []
    for projection, mixer in zip(projections, mixers, strict=True):
        x, cache = layer(x, projection, mixer)
        caches.append(cache)
    works = [work for cache, into in zip(caches, received, strict=True) for work in exchange(cache, into)]
    for work in works:
        work.wait()
    return received


def prepare_optimized(x, projections, mixers):
    return torch.empty(len(projections), 2, *x.shape)


def optimized(received, x, projections, mixers):
    works, caches = [], []
    for projection, mixer, into in zip(projections, mixers, received, strict=True):
        x, cache = layer(x, projection, mixer)
        caches.append(cache)  # kept until it has been sent
        works += exchange(cache, into)
    for work in works:
        work.wait()
    return received


def cost(layers, tokens, width):
    compute = layers * (8 * tokens * width**2 + 2 * tokens**2 * width) / FLOPS_PER_BYTE  # in bytes of the link
    transfer = layers * 2 * tokens * width * 4
    shorter, longer = sorted((compute, transfer))
    return dict(predicted_optimized=(compute + transfer) / (longer + shorter / layers))
