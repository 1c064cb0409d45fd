import random
import sqlite3

random.seed(0)
db = sqlite3.connect(":memory:")
db.execute("create table events (id integer primary key, device integer, day integer, value real)")


def rows(count):
    for n in range(count):
        yield n, random.randrange(5000), n * 365 // count, random.random()


with db:
    db.executemany("insert into events values (?, ?, ?, ?)", rows(1_500_000))
    db.execute("create index by_device on events (device, day, value)")
top = db.execute(
    "select device, sum(value), count(distinct day) from events group by device order by 2 desc limit 5"
).fetchall()
weekly = db.execute("select day / 7, avg(value), max(value) from events group by 1").fetchall()
print(top[0], len(weekly))
