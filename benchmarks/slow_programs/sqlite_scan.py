"""Join every order with the profile of its customer, out of the shop's database."""

import random
import sqlite3

db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE profiles (email TEXT, age INTEGER, city TEXT)")
db.execute("CREATE TABLE orders (email TEXT, amount REAL)")
random.seed(0)
people = [(f"user{i}@mail.example", random.randint(18, 90), f"city{i % 50}") for i in range(60_000)]
db.executemany("INSERT INTO profiles VALUES (?, ?, ?)", people)
db.executemany("INSERT INTO orders VALUES (?, ?)", ((random.choice(people)[0], random.random()) for _ in range(900)))
db.commit()

by_city = {}
for email, amount in db.execute("SELECT email, amount FROM orders").fetchall():
    age, city = db.execute("SELECT age, city FROM profiles WHERE email = ?", (email,)).fetchone()
    total, ages = by_city.get(city, (0.0, 0))
    by_city[city] = (total + amount, ages + age)
print(sorted(by_city.items())[:3])
