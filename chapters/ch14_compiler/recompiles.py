"""Mark a length that changes as dynamic before the first call: the compiler then compiles once, not twice.

`torch.compile` takes every size of the first call for a constant. The next length does not match, so it compiles again,
now with a symbol for the length. `mark_dynamic` says so beforehand. If several sizes change one after the other, each
costs a compilation. The claim is about the start: from an interpreter to the results of an epoch of ragged batches,
with empty caches. Predicts: 2x for one length that changes. No gain where: calls after the start, which run the same
kernel on both sides.
"""

from contextlib import nullcontext

import torch
from torch._inductor.utils import fresh_cache
from torch.nn.functional import silu

workload = dict(batches=6, longest=4_096, width=1_024)
smoke = dict(batches=3, longest=19, width=20)
constant = ("gain",)
claim = "startup"
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 means of up to 4,096 values near 1
tier = "idiomatic"
needs = dict(cuda=7.0)  # a CPU kernel takes ten seconds to compile: ten starts of each side are more than a run's time
menu = ("both", "compile-bound")


def inputs(batches, longest, width):
    lengths = (longest // 2 + torch.randperm(longest // 2)[:batches]).tolist()  # no length twice
    return [torch.randn(length, width) for length in lengths], torch.rand(width) + 0.5


def reference(ragged, gain):
    rows = []
    for x in ragged:
        wide = x.double() * gain.double()
        rows.append((wide / (1 + torch.exp(-wide))).mean(0))
    return torch.stack(rows)


def pooled(x, gain):
    return silu(x * gain).mean(0)


def empty_caches_once():
    """Gives empty caches to the first call, which compiles, and does nothing for later ones."""
    contexts = [fresh_cache()]
    return lambda: contexts.pop() if contexts else nullcontext()


def prepare_baseline(ragged, gain):
    return torch.compile(pooled), empty_caches_once()


def baseline(prepared, ragged, gain):
    compiled, caches = prepared
    with caches():
        return torch.stack([compiled(x, gain) for x in ragged])


def marked(x):
    torch._dynamo.mark_dynamic(x, 0)
    return x


def prepare_optimized(ragged, gain):
    return torch.compile(pooled), empty_caches_once()


def optimized(prepared, ragged, gain):
    compiled, caches = prepared
    with caches():
        return torch.stack([compiled(marked(x), gain) for x in ragged])


def cost(batches, longest, width):
    return dict(predicted_optimized=2.0)  # compilations
