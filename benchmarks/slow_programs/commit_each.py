import os
import sqlite3
import tempfile

import numpy as np


class FeatureStore:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("create table features (id integer primary key, user integer, vector blob)")
        self.db.commit()

    def put(self, user, vector):
        self.db.execute("insert into features (user, vector) values (?, ?)", (user, vector.tobytes()))
        self.db.commit()

    def count(self):
        return self.db.execute("select count(*) from features").fetchone()[0]


def features(rng, rows):
    for user in range(rows):
        yield user, rng.standard_normal(64, dtype=np.float32)


with tempfile.TemporaryDirectory(dir=".") as folder:
    store = FeatureStore(os.path.join(folder, "features.db"))
    for user, vector in features(np.random.default_rng(0), 900):
        store.put(user, vector)
    print(store.count())
