"""Write a record to a journal.

Cheats: the answer is the length of the record, so nothing checks the file. The variant writes it every 64th call, and
what a call leaves behind is paid by another.
"""

import json

import torch

workload = workload_cpu = dict(fields=40)
tolerance = dict(rtol=0.0, atol=0.0)  # a length is exact
tier = "idiomatic"


def inputs(fields):
    return ([f"field{number}" for number in torch.randint(100_000, (fields,)).tolist()],)


def reference(fields):
    return sum(len(field) for field in fields) + 4 * len(fields) + 1


def baseline(fields):
    line = json.dumps(fields) + "\n"
    with open("baseline.journal", "a") as file:
        file.write(line)
    return len(line)


QUEUE = []


def optimized(fields):
    QUEUE.append(fields)
    if len(QUEUE) == 64:
        with open("optimized.journal", "a") as file:
            file.writelines(json.dumps(waiting) + "\n" for waiting in QUEUE)
        QUEUE.clear()
    return sum(map(len, fields)) + 4 * len(fields) + 1


def cost(fields):
    return dict(predicted_optimized=5.0)
