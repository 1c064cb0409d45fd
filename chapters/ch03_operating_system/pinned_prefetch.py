"""Let a background thread stage the next batch in page-locked memory while the model works on this one.

Staging is host work: rows are gathered into a buffer that the copy engine can read, and copied to the device. In a loop that reads
its answers, as a server's does, staging and computing take turns, and a batch takes the sum of the two. A thread that stages
the next batch meanwhile makes it the longer of the two: 2x where they are alike, which is what the model says, less where
one of them is short. Both sides use kept, locked buffers and the same code; what differs is who stages, and when. Two
buffers are needed: one is read, one is written. On a GPU the thread copies on a stream of its own, or it would queue
behind the model.

It depends on a second core. Where the process has one (`--threads` decides) and the model runs on that core as well, there is
nobody to stage in the background: expect "same", or slower by the hand-over. The thread is started in preparation, waits
between calls, and has nothing left to do when a call returns.
"""

from concurrent.futures import ThreadPoolExecutor

import torch

workload = dict(samples=16_384, width=512, batches=8, rows=4_096, hidden=4_096)  # 8 MiB a batch, 17 GFLOP
workload_cpu = dict(samples=16_384, width=512, batches=8, rows=256, hidden=32)  # 0.5 MiB a batch, 8 MFLOP
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
    return torch.stack([torch.tanh(data[rows].double() @ weight.double().cpu()).mean(-1) for rows in order])


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
    return dict(predicted_optimized=2 * batches / (batches + 1))  # stages alike; the first one has nothing to hide behind
