"""Split lines of a fixed format at the commas; leave csv to files with quotes.

csv.reader walks a state machine over every character, because any of them may be a quote or an escape. Where the format
has neither, str.split finds commas with memchr. Converting the fields costs both the same, which bounds the gain.
"""

import csv
import io
import random
from fractions import Fraction

workload = workload_cpu = dict(rows=5_000)
smoke = dict(rows=9)
tolerance = dict(rtol=0.0, atol=0.0)  # float() rounds to the nearest double on both sides
domain = dict(text="drawn")  # the fixed format: three fields, no quotes, no empty lines
tier = "idiomatic"


def inputs(rows):
    lines = []
    for _ in range(rows):
        lines.append(f"{random.randrange(10**6)},{random.gauss(0.0, 10.0):.6f},site{random.randrange(100)}")
    return ("\n".join(lines) + "\n",)


def reference(text):
    rows, fields, field = [], [], ""
    for letter in text:
        if letter in ",\n":
            fields.append(field)
            field = ""
        else:
            field += letter
        if letter == "\n":
            rows.append([int(fields[0]), float(Fraction(fields[1])), fields[2]])
            fields = []
    return rows


def baseline(text):
    return [[int(number), float(value), site] for number, value, site in csv.reader(io.StringIO(text))]


def optimized(text):
    rows = []
    for line in text.splitlines():
        number, value, site = line.split(",")
        rows.append([int(number), float(value), site])
    return rows


def cost(rows):
    return dict(bytes=24 * rows, samples=rows)
