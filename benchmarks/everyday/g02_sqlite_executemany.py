"""Insert rows into SQLite with executemany instead of one statement per row."""

import random
import sqlite3


def inputs():
    return [(i, random.choice("abcdef") * 3, random.random() * 100) for i in range(500)]


def connect():
    db = sqlite3.connect(":memory:")
    db.execute("create table sale (id integer primary key, shop text, amount real)")
    return db


def totals(db):
    return db.execute("select shop, count(*), sum(amount) from sale group by shop order by shop").fetchall()


def baseline(rows):
    db = connect()
    for row in rows:
        db.execute("insert into sale values (?, ?, ?)", row)
        db.commit()
    try:
        return totals(db)
    finally:
        db.close()


def optimized(rows):
    db = connect()
    with db:
        db.executemany("insert into sale values (?, ?, ?)", rows)
    try:
        return totals(db)
    finally:
        db.close()
