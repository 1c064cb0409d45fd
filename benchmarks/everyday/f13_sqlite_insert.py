import random
import sqlite3


def inputs():
    cities = ["Bonn", "Kyiv", "Lima", "Oslo", "Pune", "Riga"]
    return [(n, random.choice(cities), random.randrange(10_000)) for n in range(2000)]


QUERY = "SELECT city, COUNT(*), SUM(cents), MAX(cents) FROM sale GROUP BY city ORDER BY city"


def baseline(rows):
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city TEXT, cents INTEGER)")
    for row in rows:
        db.execute("INSERT INTO sale VALUES (?, ?, ?)", row)
    answer = db.execute(QUERY).fetchall()
    db.close()
    return answer


def optimized(rows):
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city TEXT, cents INTEGER)")
    db.execute("BEGIN")
    db.executemany("INSERT INTO sale VALUES (?, ?, ?)", rows)
    db.execute("COMMIT")
    answer = db.execute(QUERY).fetchall()
    db.close()
    return answer
