"""Load gzipped CSV into sqlite and report: row by row, then in one transaction."""

import csv
import gzip
import io
import random
import sqlite3


def inputs():
    rows = [
        (i, random.choice("abcd"), "" if random.random() < 0.1 else round(random.gauss(0, 1), 4)) for i in range(800)
    ]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return gzip.compress(text.getvalue().encode())


def _rows(blob):
    with gzip.open(io.BytesIO(blob), "rt", newline="") as f:
        for i, k, v in csv.reader(f):
            yield int(i), k, float(v) if v else None


QUERY = "select k, count(*), count(v), avg(v), min(v), max(i) from t group by k order by k"


def baseline(blob):
    db = sqlite3.connect(":memory:")
    db.execute("create table t (i integer primary key, k text, v real)")
    for row in _rows(blob):
        db.execute("insert into t values (?, ?, ?)", row)
        db.commit()
    out = db.execute(QUERY).fetchall()
    db.close()
    return out


def optimized(blob):
    db = sqlite3.connect(":memory:")
    db.execute("create table t (i integer primary key, k text, v real)")
    with db:
        db.executemany("insert into t values (?, ?, ?)", _rows(blob))
    out = db.execute(QUERY).fetchall()
    db.close()
    return out
