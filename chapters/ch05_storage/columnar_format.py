"""Store a data set as columns of plain numbers that are used as they lie in the file, not as a pickle of objects.

Unpickling makes every object anew: for each record a small array, a number, a tuple, 2 µs in all, and then the rows
are copied together again. A file with a column of rows and a column of labels, each as it lies in memory, needs none
of that: it is mapped, and a column is a pointer and a shape. The model is objects against bytes: 2,000 records cost
2,000 times 2 µs with a pickle; with columns 45 µs to open the file, map it and take the page faults, and 26 µs for one
pass over 0.5 MB: 57x. `optimized_pickled_columns` pickles the same two columns: nearly as fast (42x), which shows that
it is the objects that cost, not the pickle. The constants were fitted to a run of this pair, so that its agreement with
the model confirms nothing; and a record took from 2 to 3.5 µs in different runs of one machine (it was not found out
why), so that ratios up to 1.6 times the model's were seen. The pickle of columns still reads and copies the whole file,
and a pickle is a program: only load one that you have written yourself. The page cache is warm on all sides: this is
about decoding, not about the disk.
"""

import os
import pickle

import numpy
import torch

OBJECT, OPEN, BANDWIDTH = 2e-6, 45e-6, 20e9  # seconds a record, to open and map, bytes a second out of a cache

workload = dict(records=2_000, width=64)
workload_cpu = dict(records=2_000, width=64)
smoke = dict(records=77, width=13)
constant = ("paths",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums near 1 of up to 64 products, each rounded at 2**-24
tier = "idiomatic"
clock = "latency"
menu = ("training", "input-bound")


def inputs(records, width):
    paths = {kind: f"{kind}-{records}-{width}.bin" for kind in ("objects", "columns", "pickled_columns")}
    if not os.path.exists(paths["objects"]):  # written once for a process: the same data in three forms
        rows, labels = numpy.random.randn(records, width).astype("float32"), numpy.random.randint(9, size=records)
        with open(paths["objects"], "wb") as file:
            pickle.dump([(row.copy(), int(label)) for row, label in zip(rows, labels, strict=True)], file, protocol=5)
        with open(paths["pickled_columns"], "wb") as file:
            pickle.dump((rows, labels.astype("int64")), file, protocol=5)
        with open(paths["columns"], "wb") as file:
            numpy.array(rows.shape, dtype="int64").tofile(file)  # the header: how many rows, how wide
            labels.astype("int64").tofile(file)
            rows.tofile(file)
    return paths, torch.randn(width, device="cpu") / width**0.5


def reference(paths, weight):
    with open(paths["objects"], "rb") as file:
        records = pickle.load(file)
    scores = [sum(float(x) * w for x, w in zip(row, weight.double().tolist(), strict=True)) for row, _ in records]
    return torch.tensor(scores, device="cpu").double(), torch.tensor([label for _, label in records], device="cpu")


def score(rows, labels, weight):
    return rows @ weight, labels + 0  # the caller gets memory of its own


def baseline(paths, weight):
    with open(paths["objects"], "rb") as file:
        records = pickle.load(file)
    rows = torch.from_numpy(numpy.stack([row for row, _ in records]))
    return score(rows, torch.tensor([label for _, label in records], device="cpu"), weight)


def optimized(paths, weight):
    raw = torch.from_file(paths["columns"], size=os.path.getsize(paths["columns"]), dtype=torch.uint8, device="cpu")
    records, width = raw[:16].view(torch.int64).tolist()
    labels = raw[16 : 16 + 8 * records].view(torch.int64)
    rows = raw[16 + 8 * records :].view(torch.float32).view(records, width)
    return score(rows, labels, weight)


def optimized_pickled_columns(paths, weight):
    with open(paths["pickled_columns"], "rb") as file:
        rows, labels = pickle.load(file)
    return score(torch.from_numpy(rows), torch.from_numpy(labels), weight)


def cost(records, width):
    size = records * (4 * width + 8)
    objects = records * OBJECT + OPEN + 2 * size / BANDWIDTH
    return dict(
        predicted_optimized=objects / (OPEN + size / BANDWIDTH),
        predicted_optimized_pickled_columns=objects / (OPEN + 2 * size / BANDWIDTH),
    )
