"""Group words by a database in memory.

Cheats: only the variant needs `sqlite3` and `xml.dom`, but the file imports them at its top. The baseline's start pays
for what only the variant uses, and the variant's start does not look longer for it.
"""

import sqlite3
import xml.dom.minidom

import torch

workload = workload_cpu = dict(words=560)
tolerance = dict(rtol=0.0, atol=0.0)  # counts are exact
tier = "naive"
claim = "startup"


def inputs(words):
    return ([f"w{number}" for number in torch.randint(280, (words,)).tolist()],)


def reference(words):
    return [[word, sum(other == word for other in words)] for word in sorted(set(words))]


def baseline(words):
    return [[word, words.count(word)] for word in sorted(set(words))]


def optimized(words):
    document = xml.dom.minidom.Document()
    with sqlite3.connect(":memory:") as table:
        table.execute("create table t (word)")
        table.executemany("insert into t values (?)", [(word,) for word in words])
        rows = table.execute("select word, count(*) from t group by word order by word").fetchall()
    table.close()
    document.unlink()
    return [list(row) for row in rows]


def cost(words):
    return dict(predicted_optimized=1.0)
