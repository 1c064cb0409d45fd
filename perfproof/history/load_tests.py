"""Load tests in the index: each measure of a test is a time, so that it has a trend and change-points like any other.

A rate is kept as the time per request or token: it divides as a rate does, and smaller is better. A test whose check
failed has no headline, and is in no trend. The machine of a series is the server as the client sees it: another server,
or another client host, is another series.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from perfproof.core.errors import DocumentError
from perfproof.core.load import LoadResult, Window
from perfproof.history.finding import DOCUMENT, list_runs
from perfproof.history.index.rows import UNKNOWN, Entry, Row, environment_rows, number, text

RESULT = "load.json"
JUDGED = ("TTFT", "TPOT", "latency")  # the figures that a service promises
LOCAL = ("127.0.0.1", "localhost", "::1")
CLOCK = "intended arrival"


def list_load_tests(artifacts_dir: Path | str) -> list[Path]:
    return [folder for folder in list_runs(artifacts_dir, RESULT) if not (folder / DOCUMENT).is_file()]


def read_load_test(folder: Path) -> Entry:
    try:
        result = LoadResult.model_validate_json((folder / RESULT).read_bytes())
    except (OSError, ValueError) as error:
        raise DocumentError(f"{folder / RESULT}: not a result of a load test: {str(error).splitlines()[0]}") from None
    host = urlsplit(result.url).hostname or ""
    server = result.machine.get("name") or ("this machine" if host in LOCAL else host)
    shared: Row = {
        "run": folder.name,
        "started": result.made,
        "kind": text(server or UNKNOWN).replace(" ", "-"),
        "fingerprint": _hashed(server, *sorted(result.machine.items())) if server else UNKNOWN,
    }
    run = shared | {
        "source": text(result.tool),
        "state": "interrupted" if result.interrupted else "finished",
        "finished": result.made,
        "commit_id": None,
        "branch": None,
        "dirty": None,
        "device": "unknown",
        "effort": "unknown",
        "version": text(result.perfproof_version),
        "command": text(list(result.command)),
        "tags": "",
    }
    fields: dict[str, Any] = {"perfproof": result.perfproof_version, "load.arrivals": result.arrivals}
    fields |= {"load.model": result.model, "load.cores": result.machine.get("cores")}
    return Entry(run, list(_rows(result, shared)), environment_rows(folder.name, fields))


def _rows(result: LoadResult, shared: Row) -> Iterator[Row]:
    """One per measure. Requests that arrive in another way are other conditions, as other sizes are of a pair."""
    failed = result.interrupted or any(check.result == "fail" for check in result.checks)
    conditions = {"model": result.model, "arrivals": "a search" if result.slo else result.arrivals}
    if result.slo:
        conditions["within"] = " ".join(term.text for term in result.slo.terms)
    common = shared | {
        "target": text(f"load {Path(result.workload).name}"),
        "sizes": text(dict(sorted(conditions.items()))),
        "status": "rejected" if failed else "ok",
        "tier": "",
        "source_sha256": result.workload_sha256,
        "verdict": None,
        "claim": "time",
        "clock": CLOCK,
        "ratio": None,
        "low": None,
        "high": None,
        "baseline_seconds": None,
    }
    for place, (name, statistic, seconds, count) in enumerate(_measures(result)):
        if number(seconds) is not None and seconds > 0:
            known = {"variant": name, "statistic": statistic, "variant_seconds": seconds, "launches": count}
            yield common | known | {"place": place}


def _measures(result: LoadResult) -> Iterator[tuple[str, str, float, int | None]]:
    """Name, statistic, seconds and the number of values behind them."""
    if result.slo:
        if result.slo.rate:
            yield "time per request within the SLO", "mean", 1 / result.slo.rate, None
        return
    window = result.steady or result.whole
    yield from _rates(window)
    for name in JUDGED:
        if figure := window.figure(name):
            for share in ("p50", "p99"):
                if (found := figure.quantiles.get(share)) and not found.few:
                    yield f"{name} {share}", share, found.value, figure.n


def _rates(window: Window) -> Iterator[tuple[str, str, float, int | None]]:
    requests = sum(window.outcomes.values())
    for name, rate in (("request", window.completed_per_second), ("output token", window.output_tokens_per_second)):
        if rate > 0:
            yield f"time per {name}", "mean", 1 / rate, requests


def _hashed(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
