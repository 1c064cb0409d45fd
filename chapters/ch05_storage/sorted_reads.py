"""Read the records of a batch in the order of the file, neighbours in one request, and put them in place afterwards.

A read costs a latency plus its bytes over the bandwidth. What a disk delivers in the time of one latency is at least
32 KiB (20 µs at 1.5 GB/s on a virtual disk; 80 µs at 3 GB/s on flash, 240 KiB), so a gap shorter than that is cheaper
to read than to skip. A batch of 256 records of 4 KiB, drawn at random from a shard of 4 MiB, has gaps of 12 KiB on
average, one in ten wider than 32 KiB: 256 requests become 28 that read nearly 4 times the bytes. With G the gap that
costs a latency the model is n (G + record) over (requests G + span): 1.8x, and far more where latencies are longer.
The model leaves out that a merged read lands in fresh memory and its records are copied once more. The pages are
cold: the file is dropped from the page cache before every call. It should pay only while the batch is dense; `sweep`
shows where that ends. The figures of disks are assumptions, not measurements of this one.
"""

import os

import numpy
import torch

GAP = 32_768  # bytes that a disk delivers in the time of one latency

workload = dict(records=1_024, record=1_024, batch=256)  # floats in a record; 4 MiB
workload_cpu = dict(records=1_024, record=1_024, batch=256)
smoke = dict(records=37, record=77, batch=11)
sweep = dict(records=[512, 1_024, 2_048, 8_192])
constant = ("path", "record")
cold = ("path",)
tolerance = dict(rtol=1e-8, atol=1e-12)  # less than half of float32's last digit: a read is exact or wrong
tier = "idiomatic"
clock = "latency"
menu = ("training", "input-bound")


def inputs(records, record, batch):
    path = f"records-{records}-{record}.bin"
    if not os.path.exists(path):  # written once for a process; later draws ask for other records
        torch.randn(records, record, device="cpu").numpy().tofile(path)
    return path, record, torch.randint(records, (batch,), device="cpu")


def reference(path, record, wanted):
    whole = torch.from_numpy(numpy.fromfile(path, dtype="float32"))
    return whole.view(-1, record)[wanted].double()


def baseline(path, record, wanted):
    batch = torch.empty(len(wanted), record, device="cpu")
    rows, size = batch.numpy(), 4 * record
    with open(path, "rb", buffering=0) as file:
        for place, index in enumerate(wanted.tolist()):
            os.preadv(file.fileno(), [rows[place]], index * size)
    return batch


def optimized(path, record, wanted):
    size = 4 * record
    order = wanted.argsort()
    asked = wanted[order]
    far = (asked.diff() * size > GAP + size).nonzero().view(-1) + 1  # a new request begins where the gap is too wide
    batch = torch.empty(len(wanted), record, device="cpu")
    with open(path, "rb", buffering=0) as file:
        for run, places in zip(asked.tensor_split(far), order.tensor_split(far), strict=True):
            span = torch.empty(int(run[-1] - run[0]) + 1, record, device="cpu")
            os.preadv(file.fileno(), [span.numpy()], int(run[0]) * size)
            batch[places] = span[run - run[0]]
    return batch


def cost(records, record, batch):
    size = 4 * record
    between = records * size / batch  # from one wanted record to the next, on average
    wide = 2.718281828 ** (-(GAP + size) / between)  # gaps of random records are spread exponentially
    requests = 1 + (batch - 1) * wide
    span = min(records * size, batch * (size + (1 - wide) * min(between, GAP)))
    return dict(predicted_optimized=batch * (GAP + size) / (requests * GAP + span))
