"""Write a batch of CSV rows in one go."""

import os
import numpy as np

workload = workload_cpu = dict(n=300)
smoke = dict(n=29)


def inputs(n):
    return ([tuple(int(v) for v in row) for row in np.random.randint(0, 10**6, (n, 4))],)


def baseline(rows):
    with open("journal.csv", "w") as f:
        for row in rows:
            f.write(",".join(map(str, row)) + "\n")
        f.flush()
        os.fsync(f.fileno())
    with open("journal.csv") as f:
        return sum(len(line) for line in f), len(rows)


def optimized(rows):
    text = "".join("%d,%d,%d,%d\n" % row for row in rows)
    with open("journal.csv", "w") as f:
        f.write(text)
    return len(text), len(rows)
