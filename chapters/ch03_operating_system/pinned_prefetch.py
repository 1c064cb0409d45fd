"""Let a background thread stage the next batch in page-locked memory while the model works on this one.

Staging is host work: rows are gathered into a buffer that the copy engine can read, and copied to the device. In a loop
that reads its answers, as a server's does, staging and computing take turns, and a batch takes the sum of the two. A
thread that stages the next batch meanwhile makes it the longer of the two; only the first batch has nothing to hide
behind. Eight batches whose stages are alike take 9 stages instead of 16: 1.8x. Where one stage is the longer it is
less: with 0.3 ms to stage and 5 ms to compute, as in the sizes for a CPU, it is 1.02x. Both sides use kept, locked
buffers and the same code; what differs is who stages, and when. It takes two buffers, one that is read and one that is
written, and on a GPU a stream of its own for the copy, or it would queue behind the model. On one H200 with 16 cores
it was 1.08x: the device's records show no copy beside the model, so the next rows were not gathered before the 0.8 ms
were over in which the model ran, where the loop's own thread gathers them in 0.4 ms. What slows the background down is
probably its second team of threads on the same cores.

It depends on somebody else to run the model: a GPU, or a second core. Where the process has one core (`--threads`
decides) there is no background: the prediction is 1x, and what is left is the hand-over. The thread is started in
preparation, waits between calls, and has nothing left to do when a call returns.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import torch

GATHER, GPU, CORE = 8e9, 40e12, 1e11  # bytes/s of staging; float32 flops/s of a large GPU, and of one core

workload = dict(samples=16_384, width=512, batches=8, rows=4_096, hidden=8_192)  # 8 MiB and 34 GFLOP a batch: alike
workload_cpu = dict(samples=8_192, width=512, batches=2, rows=1_024, hidden=512)  # 2 MiB and 0.5 GFLOP: little to hide
smoke = dict(samples=101, width=33, batches=3, rows=7, hidden=13)
constant = ("data",)
tolerance = dict(rtol=1e-5, atol=2e-6)  # means of values below 1 that come from float32 sums, rounded at 2**-24
tier = "idiomatic"
menu = ("both", "input-bound")


def inputs(samples, width, batches, rows, hidden):
    data = torch.randn(samples, width, device="cpu")
    order = torch.randint(samples, (batches, rows), device="cpu")  # shuffled, as an epoch is
    return data, order, torch.randn(width, hidden) / width**0.5


def reference(data, order, weight):
    wide = weight.double()
    return torch.stack([torch.tanh(data[rows].to(wide) @ wide).mean(-1).cpu() for rows in order])


def model(batch, weight):
    return torch.tanh(batch @ weight).mean(-1)


def staging_buffer(data, order, weight):
    return torch.empty(order.shape[1], data.shape[1], device="cpu", pin_memory=weight.is_cuda)


def stage(buffer, data, rows, device):
    torch.index_select(data, 0, rows, out=buffer)
    return buffer.to(device)  # there when this returns; on a CPU it is the buffer itself


def prepare_baseline(data, order, weight):
    return staging_buffer(data, order, weight)


def baseline(buffer, data, order, weight):
    answers = []
    for rows in order:
        batch = stage(buffer, data, rows, weight.device)
        answers.append(model(batch, weight).cpu())
    return torch.stack(answers)


def prepare_optimized(data, order, weight):
    stream = torch.cuda.Stream() if weight.is_cuda else None
    return ThreadPoolExecutor(max_workers=1), stream, [staging_buffer(data, order, weight) for _ in range(2)]


def optimized(background, data, order, weight):
    thread, stream, buffers = background

    def stage_aside(number):
        with torch.cuda.stream(stream):
            return stage(buffers[number % 2], data, order[number], weight.device)

    answers, coming = [], thread.submit(stage_aside, 0)
    for number in range(len(order)):
        batch = coming.result()
        if number + 1 < len(order):
            coming = thread.submit(stage_aside, number + 1)
        answers.append(model(batch, weight).cpu())
    return torch.stack(answers)


def cost(samples, width, batches, rows, hidden):
    on_gpu = torch.cuda.is_available()
    stage, compute = 4 * rows * width / GATHER, 2 * rows * width * hidden / (GPU if on_gpu else CORE)
    in_turn = batches * (stage + compute)
    side_by_side = stage + (batches - 1) * max(stage, compute) + compute
    return dict(predicted_optimized=in_turn / side_by_side if on_gpu or len(os.sched_getaffinity(0)) > 1 else 1.0)
