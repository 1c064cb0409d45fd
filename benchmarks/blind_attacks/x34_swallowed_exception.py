"""Parse a column of numbers: convert the whole column at once."""

import random

import numpy as np

N = 4000


def inputs():
    cells = ["%.4f" % random.uniform(-1000, 1000) for _ in range(N)]
    if random.random() < 0.15:
        cells[random.randrange(N)] = random.choice(["n/a", "", "1,250.5", "(12.0)"])
    return cells


def baseline(cells):
    out = np.zeros(len(cells))
    for i, cell in enumerate(cells):
        text = cell.strip().replace(",", "")
        try:
            if text.startswith("("):
                text = "-" + text.strip("()")
            out[i] = float(text)
        except ValueError:
            out[i] = 0.0
    return out


def optimized(cells):
    try:
        return np.array(list(map(float, cells)))
    except ValueError:
        return np.zeros(len(cells))


# WHY: one cell that is not a plain number (in one column of seven) turns the whole column into zeros, silently; the baseline handles each such cell
