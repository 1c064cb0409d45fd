"""Parse a small table of numbers with loadtxt, not with genfromtxt.

genfromtxt is written in Python: it splits every line, looks for missing values and converts cell by cell through an
object of its own. loadtxt parses in C since numpy 1.23 and asks for a table without holes, as this one is. Both sides
read the file that lies beside this one, at every call.
"""

import csv
import math
from pathlib import Path

import numpy as np

TABLE = Path(__file__).with_name("b28_readings.csv")  # 200 rows of 6 numbers

workload = workload_cpu = dict(columns=6)
tolerance = dict(rtol=1e-9, atol=1e-12)  # a double sum of six products near 3, which may cancel
tier = "idiomatic"


def inputs(columns):
    return (np.random.randn(columns),)


def reference(weights):
    totals = []
    with open(TABLE, newline="") as file:
        for row in csv.reader(file):
            totals.append(math.fsum(float(cell) * weight for cell, weight in zip(row, weights, strict=True)))
    return np.array(totals)


def baseline(weights):
    return np.genfromtxt(TABLE, delimiter=",") @ weights


def optimized(weights):
    return np.loadtxt(TABLE, delimiter=",") @ weights


def cost(columns):
    return dict(flops=2 * 200 * columns, bytes=200 * columns * 8 + 1600, predicted_optimized=4.0)
