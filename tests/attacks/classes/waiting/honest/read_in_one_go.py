"""Read a file in one piece instead of many.

Honest: reading is the lesson. Both sides read every byte, and the word that is asked for changes.
"""

import os

import torch

workload = workload_cpu = dict(lines=1_000)
smoke = dict(lines=33)
constant = ("path",)
tolerance = dict(rtol=0.0, atol=0.0)  # a count is exact
tier = "naive"


def inputs(lines):
    path = f"words-{lines}.txt"
    if not os.path.exists(path):  # written once per process; later draws ask for another word
        with open(path, "w") as file:
            file.writelines(f"w{number:02}\n" for number in torch.randint(50, (lines,)).tolist())
    return path, f"w{int(torch.randint(50, ())):02}"


def reference(path, word):
    with open(path) as file:
        return [line.strip() for line in file].count(word)


def baseline(path, word):
    count, wanted = 0, word.encode() + b"\n"
    with open(path, "rb", buffering=0) as file:
        while line := file.read(4):
            count += line == wanted
    return count


def optimized(path, word):
    with open(path, "rb", buffering=0) as file:
        return file.read().count(word.encode() + b"\n")


def cost(lines):
    return dict(predicted_optimized=20.0)
