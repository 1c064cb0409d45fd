import random
import sqlite3

random.seed(2)
db = sqlite3.connect(":memory:")
db.executescript(
    "create table users (id integer primary key, name text, city integer);"
    "create table orders (id integer primary key, user integer, price real);"
    "create table cities (id integer primary key, name text);"
)
db.executemany("insert into cities values (?, ?)", ((n, f"city{n}") for n in range(500)))
db.executemany("insert into users values (?, ?, ?)", ((n, f"user{n}", n % 500) for n in range(20_000)))
db.executemany("insert into orders values (?, ?, ?)", ((n, random.randrange(20_000), n % 91) for n in range(400_000)))


def user_of(order):
    return db.execute("select name, city from users where id = ?", (order[1],)).fetchone()


def city_of(user):
    return db.execute("select name from cities where id = ?", (user[1],)).fetchone()


def revenue():
    totals = {}
    for order in db.execute("select id, user, price from orders"):
        user = user_of(order)
        city = city_of(user)
        totals[city[0]] = totals.get(city[0], 0.0) + order[2]
    return totals


for month in range(2):
    best = max(revenue().items(), key=lambda item: item[1])
    print(month, best)
