"""Write lines with one system call instead of one per line.

Honest: both sides write the same bytes to a file of their own and read them back, none later than the other.
"""

import torch

workload = workload_cpu = dict(lines=200)
smoke = dict(lines=3)
tolerance = dict(rtol=0.0, atol=0.0)  # bytes are exact
tier = "idiomatic"


def inputs(lines):
    return ([f"step {number}: done\n" for number in torch.randint(100_000, (lines,)).tolist()],)


def reference(lines):
    return "".join(lines).encode()


def baseline(lines):
    with open("baseline.log", "w") as file:
        for line in lines:
            print(line, end="", file=file, flush=True)
    with open("baseline.log", "rb") as file:
        return file.read()


def optimized(lines):
    with open("optimized.log", "w") as file:
        file.write("".join(lines))
    with open("optimized.log", "rb") as file:
        return file.read()


def cost(lines):
    return dict(predicted_optimized=4.0)
