"""Retention job: archive and purge expired analytics sessions."""

import argparse
import json
import random
import sqlite3
import tempfile
import time
from pathlib import Path

SCHEMA = """
CREATE TABLE accounts (
    id INTEGER PRIMARY KEY,
    plan TEXT NOT NULL
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    started_at INTEGER NOT NULL,
    event_count INTEGER NOT NULL,
    device TEXT NOT NULL
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value REAL
);
CREATE INDEX sessions_started ON sessions (started_at);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX events_at ON events (at);
"""

KINDS = ("view", "click", "scroll", "purchase", "share")
DAY = 86_400


def connect(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def populate(db, accounts, sessions, events_per_session, seed):
    rng = random.Random(seed)
    db.executescript(SCHEMA)

    def session_rows():
        for number in range(sessions):
            yield (
                number,
                rng.randrange(accounts),
                number * 60 * DAY // sessions,
                events_per_session,
                rng.choice(("ios", "android", "web")),
            )

    def event_rows():
        for number in range(sessions * events_per_session):
            session = number // events_per_session
            at = session * 60 * DAY // sessions + number % events_per_session
            yield session, at, rng.choice(KINDS), rng.random()

    with db:
        db.executemany(
            "INSERT INTO accounts VALUES (?, ?)", ((i, rng.choice(("free", "pro"))) for i in range(accounts))
        )
        db.executemany("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", session_rows())
        db.executemany("INSERT INTO events (session_id, at, kind, value) VALUES (?, ?, ?, ?)", event_rows())


class RetentionJob:
    def __init__(self, db, archive_path, batch_size):
        self.db = db
        self.batch_size = batch_size
        self.archive = open(archive_path, "w")
        self.purged = 0

    def expired(self, cutoff):
        return self.db.execute(
            "SELECT id, account_id, started_at, event_count, device FROM sessions "
            "WHERE started_at < ? ORDER BY started_at LIMIT ?",
            (cutoff, self.batch_size),
        ).fetchall()

    def store_summary(self, rows):
        for row in rows:
            self.archive.write(json.dumps(dict(row)) + "\n")
        self.archive.flush()

    def purge(self, rows):
        with self.db:
            self.db.executemany("DELETE FROM sessions WHERE id = ?", ((row["id"],) for row in rows))
        self.purged += len(rows)

    def run(self, cutoff):
        while rows := self.expired(cutoff):
            started = time.time()
            self.store_summary(rows)
            self.purge(rows)
            print(f"purged {self.purged} sessions ({time.time() - started:.2f}s)")
        self.archive.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accounts", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=9_000)
    parser.add_argument("--events", type=int, default=30)
    parser.add_argument("--keep-days", type=int, default=58)
    parser.add_argument("--batch", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="retention-") as folder:
        db = connect(Path(folder) / "analytics.db")
        populate(db, args.accounts, args.sessions, args.events, seed=8)
        job = RetentionJob(db, Path(folder) / "archive.jsonl", args.batch)
        job.run((60 - args.keep_days) * DAY)
        left = db.execute("SELECT count(*) FROM events").fetchone()[0]
        print("sessions purged", job.purged, "events left", left)
        db.close()


if __name__ == "__main__":
    main()
