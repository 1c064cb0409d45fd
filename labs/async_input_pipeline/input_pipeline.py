"""Feed a GPU from page-locked memory, without waiting, from workers that stage ahead: each alone gains little.

A batch is staged by the CPU (decoded, scaled), copied to the device and used there. Four switches decide what happens
at the same time. Workers stage batches ahead of the loop. Page-locked memory makes a copy five times as fast, and it
alone allows a copy that does not wait: `non_blocking` from pageable memory waits all the same. A stream of its own for
copies lets one run beside the step before it. With 1 ms for staging, 0.5 ms for a pageable copy, 0.1 ms for a pinned
one and 0.4 ms for the step, a loop takes 1.5 ms a batch (the step runs while the next batch is staged, the copy waits
for both); with all four and two workers the longest stage is left, 0.5 ms: 3x. A worker stages with one thread, as a
data loader's do: with a team of threads each, workers fight over the cores. The point with everything off is the
baseline itself: it has to come out as "same". Without a GPU there is nothing to lock and nothing to copy beside, so
those axes stay at "none" and only the workers are left: they need cores of their own.
"""

from concurrent.futures import ThreadPoolExecutor

import torch

STAGE, PAGEABLE, PINNED, STEP = 1.0, 0.5, 0.1, 0.4  # milliseconds a batch on one machine with a large GPU

workload = dict(
    batches=16, rows=1_024, width=1_024, pin_memory="yes", non_blocking="yes", workers=2, copy_stream="yes"
)  # 4 MiB a batch
workload_cpu = dict(
    batches=8, rows=128, width=256, pin_memory="none", non_blocking="none", workers=2, copy_stream="none"
)
smoke = dict(batches=3, rows=5, width=77, pin_memory="none", non_blocking="none", workers=2, copy_stream="none")
sweep = dict(pin_memory=["no", "yes"], non_blocking=["no", "yes"], workers=[0, 1, 2, 4], copy_stream=["no", "yes"])
constant = ("weight", "switches")
tolerance = dict(rtol=1e-4, atol=1e-5)  # a mean near 1 of squares of float32 products, rounded at 2**-24 each
tier = "idiomatic"
clock = "latency"
menu = ("training", "input-bound")


def inputs(batches, rows, width, pin_memory, non_blocking, workers, copy_stream):
    switches = dict(pin_memory=pin_memory, non_blocking=non_blocking, workers=workers, copy_stream=copy_stream)
    raw, scale = torch.randn(batches, rows, width, device="cpu"), torch.rand(width, device="cpu") + 0.5
    return raw, scale, torch.randn(width, 2 * width) / width**0.5, switches


def reference(raw, scale, weight, switches):
    wide = raw.double() * scale.double()
    return torch.stack([(batch.to(weight.device) @ weight.double()).square().mean() for batch in wide]).cpu()


def stage(raw, scale, into):
    torch.mul(raw, scale, out=into)  # stands for decoding and augmentation


def copy(host, place, non_blocking, stream):
    if stream is None:
        place.copy_(host, non_blocking=non_blocking)
        return
    with torch.cuda.stream(stream):
        place.copy_(host, non_blocking=non_blocking)
    torch.cuda.current_stream().wait_stream(stream)  # the step waits for its own batch, not the host


def epoch(buffers, raw, scale, weight, non_blocking, workers, stream):
    staged, losses = [], []
    if workers:
        staged = [workers.submit(stage, one, scale, host) for one, host in zip(raw, buffers[0], strict=True)]
    for index, (host, place) in enumerate(zip(*buffers, strict=True)):
        staged[index].result() if workers else stage(raw[index], scale, host)
        copy(host, place, non_blocking, stream)
        losses.append((place @ weight).square().mean())
    return torch.stack(losses).cpu()  # waits for everything: the buffers are free again


def prepare_baseline(raw, scale, weight, switches):
    return torch.empty_like(raw), torch.empty_like(raw, device=weight.device)


def baseline(buffers, raw, scale, weight, switches):
    return epoch(buffers, raw, scale, weight, non_blocking=False, workers=None, stream=None)


def prepare_optimized(raw, scale, weight, switches):
    host = torch.empty_like(raw, pin_memory=switches["pin_memory"] == "yes")
    stream = torch.cuda.Stream() if switches["copy_stream"] == "yes" else None
    one_thread_each = dict(initializer=torch.set_num_threads, initargs=(1,))
    workers = ThreadPoolExecutor(switches["workers"], **one_thread_each) if switches["workers"] else None
    return (host, torch.empty_like(raw, device=weight.device)), workers, stream


def optimized(prepared, raw, scale, weight, switches):
    buffers, workers, stream = prepared
    return epoch(buffers, raw, scale, weight, switches["non_blocking"] == "yes", workers, stream)


def cost(batches, rows, width, pin_memory, non_blocking, workers, copy_stream):
    if pin_memory == "none":  # a CPU stages and computes with the same cores
        return dict(predicted_optimized=1.0)
    transfer = PINNED if pin_memory == "yes" else PAGEABLE
    free = pin_memory == non_blocking == "yes"  # the host does not wait for the copy
    staging = STAGE / max(1, workers)
    host = (0.0 if free else transfer) if workers else STAGE + (0.0 if free else transfer)
    device = max(transfer, STEP) if copy_stream == "yes" and free else transfer + STEP
    longest = max(staging, host, device)
    return dict(predicted_optimized=(STAGE + PAGEABLE) / longest)  # in a loop only the step is hidden
