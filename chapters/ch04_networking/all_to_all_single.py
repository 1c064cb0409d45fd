"""Pack the tokens of all experts into one buffer and exchange that once, instead of one exchange for each expert.

In a mixture of experts every rank has tokens for the experts of every other rank. Looping over the experts of a rank
is how the layer is thought of, and pays one latency for each. Tokens that are packed by their destination travel in a
single all-to-all; the same bytes cross the link, and packing adds a copy through local memory, which is far wider.
The model is that of a bucket: (experts + bytes / 2 MB) latencies against (1 + bytes / 2 MB), for a link that
moves 2 MB in the time of one latency: 3.9x for 16 experts on a rank and 8 MB. A list of tensors is also copied into one
piece and out again inside the backend, which one buffer is spared.
"""

import torch
import torch.distributed as dist

LATENCY_BYTES = 2e6

workload = dict(experts=16, capacity=64, width=2_048)  # decoding: few tokens an expert, 512 KiB to each
workload_cpu = dict(experts=4, capacity=16, width=128)  # 8 KiB to each expert
smoke = dict(experts=3, capacity=5, width=7)
ranks = 2
tolerance = dict(rtol=0, atol=0)  # tokens are moved, not computed
tier = "idiomatic"
menu = ("both", "communication-bound")


def inputs(experts, capacity, width):
    """Tokens for each expert of the first rank, then of the second: apart, as routing picks them."""
    return ([torch.randn(capacity, width) for _ in range(ranks * experts)],)


def reference(tokens):
    """Everything that everybody has, and of it what is meant for this rank."""
    rank, world = dist.get_rank(), dist.get_world_size()
    own = torch.stack(tokens)
    parts = [torch.empty_like(own) for _ in range(world)]
    dist.all_gather(parts, own)
    return torch.stack([part.chunk(world)[rank] for part in parts])  # from whom, for which expert, place, width


def baseline(tokens):
    world = dist.get_world_size()
    experts = len(tokens) // world
    arrived = torch.empty(world, experts, *tokens[0].shape)
    for expert in range(experts):
        dist.all_to_all(list(arrived[:, expert]), tokens[expert::experts])
    return arrived


def optimized(tokens):
    packed = torch.stack(tokens)
    arrived = torch.empty_like(packed)
    dist.all_to_all_single(arrived, packed)
    return arrived.unflatten(0, (dist.get_world_size(), -1))


def cost(experts, capacity, width):
    sent = 4 * (ranks - 1) * experts * capacity * width
    return dict(predicted_optimized=(experts + sent / LATENCY_BYTES) / (1 + sent / LATENCY_BYTES))
