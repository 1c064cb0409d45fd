-- Version 1 of the tables, for SQLite and PostgreSQL. Published: never changed again.

CREATE TABLE runs (
    run TEXT NOT NULL,
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    commit_id TEXT,
    branch TEXT,
    dirty BOOLEAN,
    kind TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    device TEXT NOT NULL,
    effort TEXT NOT NULL,
    version TEXT NOT NULL,
    command TEXT NOT NULL,
    tags TEXT NOT NULL,
    PRIMARY KEY (run)
);

CREATE TABLE results (
    run TEXT NOT NULL,
    place INTEGER NOT NULL,
    variant TEXT NOT NULL,
    target TEXT NOT NULL,
    started TEXT NOT NULL,
    kind TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    sizes TEXT NOT NULL,
    status TEXT NOT NULL,
    verdict TEXT,
    claim TEXT NOT NULL,
    clock TEXT NOT NULL,
    statistic TEXT NOT NULL,
    ratio FLOAT,
    low FLOAT,
    high FLOAT,
    launches INTEGER,
    baseline_seconds FLOAT,
    variant_seconds FLOAT,
    tier TEXT NOT NULL,
    source_sha256 TEXT NOT NULL,
    PRIMARY KEY (run, place, variant),
    FOREIGN KEY(run) REFERENCES runs (run) ON DELETE CASCADE
);

CREATE TABLE environment (
    run TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, field),
    FOREIGN KEY(run) REFERENCES runs (run) ON DELETE CASCADE
);

CREATE TABLE changes (
    series TEXT NOT NULL,
    place INTEGER NOT NULL,
    target TEXT NOT NULL,
    variant TEXT NOT NULL,
    quantity TEXT NOT NULL,
    what TEXT NOT NULL,
    run TEXT NOT NULL,
    started TEXT NOT NULL,
    shift FLOAT NOT NULL,
    low FLOAT NOT NULL,
    high FLOAT NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (series, place)
);

CREATE INDEX results_by_series ON results (target, variant, started);

CREATE INDEX runs_by_start ON runs (started);
