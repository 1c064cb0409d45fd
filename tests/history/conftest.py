"""Run folders to index, and the databases to index them into: SQLite, and PostgreSQL if a server can be started."""

import contextlib
import json
import math
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from perfproof.history.index import tables
from perfproof.history.index.store import connect, open_store
from tests.history.postgres_server import NoServer, postgres_server


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server of this test session."""
    with contextlib.ExitStack() as stack:
        try:
            address = stack.enter_context(postgres_server())
        except NoServer as error:
            pytest.skip(f"no PostgreSQL server: {error}")
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """Where an empty store is."""
    if request.param == "sqlite":
        return str(tmp_path / "history.db")
    address = request.getfixturevalue("postgres")
    before = connect(address)
    with before.engine.begin() as connection:
        tables.metadata.drop_all(connection)
    before.close()
    return address


@pytest.fixture
def store(place):
    opened = open_store(place)
    yield opened
    opened.close()


def target(name="ch01:x", ratio=2.0, baseline=2e-3, **fields):
    sides = {"baseline": {"times": {"call": baseline}}, "optimized": {"times": {"call": baseline / ratio}}}
    judged = {"verdict": "faster", "ratio": ratio, "low": ratio * 0.99, "high": ratio * 1.01, "clock": "call"}
    whole = {"target": name, "status": "ok", "sizes": {"rows": 4}, "variants": sides, "ratios": {"optimized": judged}}
    return whole | fields


def write_run(artifacts, number=0, targets=(), torch="2.12", fingerprint="aaaa", **fields):
    """A run folder as perfproof leaves it, `number` days after a first of January."""
    started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
    name = f"{started:%Y%m%dT%H%M%SZ}-nightly-{number:06x}"
    machine = {"kind": "xeon-2c", "fingerprint": fingerprint, "device": "cpu", "software": {"torch": torch}}
    document = {
        "schema_version": 1,
        "perfproof_version": "0.1.0",
        "run": name,
        "state": "finished",
        "started": f"{started:%Y-%m-%dT%H:%M:%SZ}",
        "finished": None,
        "command": ["perfproof", "run"],
        "git": {"commit": f"{number + 1:08x}" * 5, "branch": "main", "dirty": False},
        "machine": machine | {"cpu": {"model": "a Xeon", "load_average": [random.random()]}},
        "options": {"effort": "standard"},
        "targets": list(targets) or [target()],
    }
    folder = Path(artifacts) / name
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(document | fields))
    return folder


def write_nights(artifacts, step_at=20, nights=32, host_at=10):
    """A target that loses 8 % from one night on, and a canary; the host is 20 % slower from an earlier night on."""
    chance = random.Random(3)
    for night in range(nights):
        ratio = 1.8 * math.exp(chance.gauss(0, 0.008) - (0.08 if night >= step_at else 0))
        host = 1.2 if night >= host_at else 1.0
        times = [1e-3 * host * math.exp(chance.gauss(0, 0.008)) for _ in range(2)]
        both = [target("ch01:fused", ratio, times[0]), target("ch02:canary", 1.3, times[1])]
        later = night >= step_at
        write_run(artifacts, night, both, "2.13" if later else "2.12", "bbbb" if later else "aaaa")


@pytest.fixture
def runs():
    """runs.one(...), runs.nights(...), runs.target(...)"""
    from types import SimpleNamespace

    return SimpleNamespace(one=write_run, nights=write_nights, target=target)
