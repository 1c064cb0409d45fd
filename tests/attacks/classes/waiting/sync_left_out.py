"""Save a checkpoint faster.

Cheats: the baseline waits until the file is on the disk, the variant does not. The answer is what the page cache has,
and that is the same without the wait.
"""

import os

import torch

workload = workload_cpu = dict(values=2_000)
tolerance = dict(rtol=0.0, atol=0.0)  # bytes are exact
tier = "idiomatic"


def inputs(values):
    return (bytes(torch.randint(256, (values,)).tolist()),)


def reference(data):
    return data[::-1][::-1]


def saved(data, path, sync):
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())
    with open(path, "rb") as file:
        return file.read()


def baseline(data):
    return saved(data, "baseline.checkpoint", sync=True)


def optimized(data):
    return saved(data, "optimized.checkpoint", sync=False)


def cost(values):
    return dict(predicted_optimized=10.0)
