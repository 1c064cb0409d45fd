"""Choose per step how to share work between two ranks, from step times that were measured beforehand.

With few rows a layer's time is that of reading its weights: split the weights, so that each rank reads half and the
ranks exchange rows and sums. With many rows the time is arithmetic, equal either way, and the exchange is lost: let
each rank do its own rows. A planner that has timed both at a few batch sizes takes the faster one; a fixed plan is
wrong for one kind.
Predicts: near 2x on thin steps, nothing on thick ones.
No gain where: an exchange takes longer than half of the weights, as with small layers: the planner then keeps the
fixed plan.
"""

import time

import torch
import torch.distributed as dist

SIZES, TRIES = (1, 4, 16, 64, 256), 3

workload = dict(thin=12, thick=2, thin_rows=2, thick_rows=1_024, width=4_096, hidden=16_384)  # steps of a decode server
workload_cpu = dict(thin=6, thick=1, thin_rows=1, thick_rows=48, width=512, hidden=4_096)  # 16 MiB of weights
smoke = dict(thin=2, thick=1, thin_rows=1, thick_rows=5, width=33, hidden=26)
ranks = 2
constant = ("up", "down")
tolerance = dict(rtol=1e-4, atol=1e-5)  # sums of up to 16,384 float32 products, in two halves, rounded at 2**-24
tier = "idiomatic"
menu = ("inference", "memory-bound")


def inputs(thin, thick, thin_rows, thick_rows, width, hidden):
    """Batches of a rank in the order they come: thin ones, as decode makes, and thick ones, as prefill makes."""
    batches = [torch.randn(rows, width) for rows in [thin_rows] * thin + [thick_rows] * thick]
    return batches, torch.randn(hidden, width) * (2 / width) ** 0.5, torch.randn(width, hidden) / hidden**0.5


def reference(batches, up, down):
    return [torch.relu(x.double() @ up.double().T) @ down.double().T for x in batches]


def own_rows(shards, x, up, down):
    """Data parallel: all weights on the rows of this rank. Nothing is exchanged."""
    return torch.relu(x @ up.T) @ down.T


def own_weights(shards, x, up, down):
    """Tensor parallel: half of the weights on the rows of both ranks; each gets the sums of its own rows."""
    part_up, part_down = shards
    everyone = x.new_empty(dist.get_world_size() * len(x), x.shape[1])
    dist.all_gather_into_tensor(everyone, x.contiguous())
    sums = torch.relu(everyone @ part_up.T) @ part_down.T
    own = torch.empty_like(x)
    dist.reduce_scatter_tensor(own, sums)
    return own


PLANS = (own_rows, own_weights)


def make_shards(up, down):
    rank, world = dist.get_rank(), dist.get_world_size()
    return up.chunk(world)[rank].contiguous(), down.chunk(world, 1)[rank].contiguous()


def seconds(plan, shards, x, up, down):
    """The best of a few tries on the slowest rank: all ranks see the same number, so all choose the same plan."""
    best = float("inf")
    for _ in range(TRIES + 1):
        dist.barrier()
        begin = time.perf_counter()
        plan(shards, x, up, down)
        if x.is_cuda:
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - begin)
    slowest = torch.tensor([best], device=x.device)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.item()


def measure_plans(batches, shards, up, down):
    """For each size up to the largest batch: the plan that was faster."""
    largest = max(len(x) for x in batches)
    chosen = {}
    for rows in [size for size in SIZES if size < largest] + [largest]:
        x = torch.ones_like(up[:1]).repeat(rows, 1)
        times = [seconds(plan, shards, x, up, down) for plan in PLANS]
        chosen[rows] = PLANS[times.index(min(times))]
    return chosen


def plan_for(chosen, rows):
    """The plan of the smallest measured size that holds as many rows."""
    return chosen[min((size for size in chosen if size >= rows), default=max(chosen))]


def baseline(batches, up, down):
    return [own_rows(None, x, up, down) for x in batches]


def prepare_optimized(batches, up, down):
    shards = make_shards(up, down)
    return shards, measure_plans(batches, shards, up, down)


def optimized(prepared, batches, up, down):
    shards, chosen = prepared
    return [plan_for(chosen, len(x))(shards, x, up, down) for x in batches]


def prepare_optimized_split(batches, up, down):
    return make_shards(up, down)


def optimized_split(shards, batches, up, down):
    return [own_weights(shards, x, up, down) for x in batches]


def cost(thin, thick, thin_rows, thick_rows, width, hidden):
    rows, steps, weights = thin * thin_rows + thick * thick_rows, thin + thick, 8 * width * hidden
    return dict(
        flops=4 * rows * width * hidden,
        bytes=steps * weights // 2 + 8 * rows * width,
        baseline_bytes=steps * weights + 8 * rows * width,
        optimized_bytes=(thin * weights) // 2 + thick * weights + 8 * rows * width,
        optimized_split_bytes=steps * weights // 2 + 8 * rows * width,
    )
