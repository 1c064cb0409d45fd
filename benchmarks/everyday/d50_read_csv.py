"""Select rows of a CSV that lies beside the pair: the csv module against pandas."""

import csv
import random
import pandas as pd


def inputs():
    return round(random.uniform(0.1, 0.9), 3)


def baseline(limit):
    total, n = 0.0, 0
    with open("d50_read_csv.csv") as f:
        for row in csv.DictReader(f):
            if float(row["value"]) > limit:
                total += float(row["weight"])
                n += 1
    return total, n


def optimized(limit):
    df = pd.read_csv("d50_read_csv.csv")
    part = df.loc[df["value"] > limit, "weight"]
    return float(part.sum()), len(part)
