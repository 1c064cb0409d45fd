"""How fast this host can send and read cleanly: the client against a server that does nothing but answer.

Rates are doubled until the 99th percentile of the send lag passes 2 ms or the client uses 80 % of a core; then the gap
is halved. The server runs on the same host and takes a core of its own, so the limit is a careful one. At the highest
clean rate a last trial says what the client spends its time on; looking costs time, so it does not count as a trial.
"""

import json
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy

from perfproof.core.atomic import write_atomic
from perfproof.core.errors import DocumentError
from perfproof.load.arrivals import Arrivals
from perfproof.load.client_time import Looks, seconds_of_parts
from perfproof.load.http_client import parse_address
from perfproof.load.own_server import started
from perfproof.load.profile import fixed
from perfproof.load.session import Measured, Plan, run_plan
from perfproof.load.workload import Service
from perfproof.machine.ceilings import state_folder

MOST_LAG = 0.002  # s
MOST_CPU = 0.8  # of a core
EVENTS = 32  # of a response
FIRST, LAST = 125.0, 16_000.0  # requests per second
HALVINGS = 2
TRIES = 3  # of a rate at which sends are late though the client has time left: something else held it up


@dataclass(frozen=True)
class Trial:
    rate: float
    lag_p99: float
    cpu_share: float
    failed: int
    clean: bool
    cpu_per_request: float = 0.0  # s

    @property
    def is_held_up(self) -> bool:
        """Sends are late, and the client has time left."""
        return self.lag_p99 > MOST_LAG and self.cpu_share <= MOST_CPU and not self.failed

    @property
    def text(self) -> str:
        """The trial in a line; if it is not clean, with the reason."""
        reasons = [
            f"{self.failed} requests failed" if self.failed else "",
            f"the client uses more than {MOST_CPU:.0%} of a core" if self.cpu_share > MOST_CPU else "",
            f"sends are late by more than {1e3 * MOST_LAG:g} ms" if self.lag_p99 > MOST_LAG else "",
        ]
        if self.lag_p99 > MOST_LAG and self.cpu_share <= MOST_CPU / 2:
            reasons.append("the client is mostly idle, so something else holds the cores")
        why = "clean" if self.clean else "not clean: " + ", ".join(filter(None, reasons))
        return (
            f"{self.rate:8.0f} req/s  send lag p99 {1e3 * self.lag_p99:.2f} ms, {self.cpu_share:.0%} of a core "
            f"({1e6 * self.cpu_per_request:.0f} us per request): {why}"
        )


@dataclass(frozen=True)
class SelfTest:
    host: str
    requests_per_second: float
    events_per_second: float
    trials: list[Trial]
    parts: dict[str, float] = field(default_factory=dict)  # s of CPU per request, of each part of the client

    @property
    def spent(self) -> str:
        """What the client spends its time on; empty if that was not looked at."""
        whole = sum(self.parts.values())
        said = ", ".join(f"{part} {1e6 * seconds:.0f} ({seconds / whole:.0%})" for part, seconds in self.parts.items())
        return f"us of CPU time per request: {said}" if whole else ""


def find_limit(seconds: float, say: Callable[[Trial], None] = lambda trial: None) -> SelfTest:
    with started(["--base", "0.002", "--slots", "1000000", "--chunk", "1000000000"]) as address:
        service = Service(parse_address(address), "known")

        def tried(rate: float) -> Trial:
            trial = _try(service, rate, seconds)
            say(trial)
            return trial

        found = conclude(climb(lambda rate: again(tried, rate)))
        parts = _look(service, found.requests_per_second, seconds) if found.requests_per_second else {}
        return replace(found, parts=parts)


def again(tried: Callable[[float], Trial], rate: float) -> Trial:
    """A rate that was held up by something else is tried again: that is no limit of the client."""
    for _ in range(TRIES - 1):
        trial = tried(rate)
        if trial.clean or not trial.is_held_up:
            return trial
    return tried(rate)


def climb(tried: Callable[[float], Trial]) -> list[Trial]:
    """Double the rate while it is clean, then halve the gap to the first that is not."""
    trials = [tried(FIRST)]
    while trials[-1].clean and trials[-1].rate < LAST:
        trials.append(tried(trials[-1].rate * 2))
    if trials[-1].clean or len(trials) == 1:
        return trials
    low, high = trials[-2].rate, trials[-1].rate
    for _ in range(HALVINGS):
        trials.append(tried((low + high) / 2))
        low, high = (trials[-1].rate, high) if trials[-1].clean else (low, trials[-1].rate)
    return trials


def conclude(trials: list[Trial]) -> SelfTest:
    best = max((one.rate for one in trials if one.clean), default=0.0)
    return SelfTest(socket.gethostname(), best, best * EVENTS, trials)


def _try(service: Service, rate: float, seconds: float) -> Trial:
    found = _measure(service, rate, seconds)
    lags = [lag for one in found.records if (lag := one.send_lag) is not None]
    late = float(numpy.quantile(lags, 0.99)) if lags else float("inf")
    failed = sum(one.outcome != "ok" for one in found.records)
    clean = late <= MOST_LAG and found.cpu_share <= MOST_CPU and not failed
    return Trial(rate, late, found.cpu_share, failed, clean, found.cpu_seconds / max(1, len(found.records)))


def _look(service: Service, rate: float, seconds: float) -> dict[str, float]:
    """CPU seconds per request of each part of the client."""
    with Looks() as looks:
        found = _measure(service, rate, seconds)
    parts = seconds_of_parts(looks.counts, found.cpu_seconds, found.waited_seconds)
    return {part: used / max(1, len(found.records)) for part, used in parts.items()}


def _measure(service: Service, rate: float, seconds: float) -> Measured:
    plan = Plan(service, fixed(32, EVENTS), seconds, seed=1, salt="selftest", arrivals=Arrivals("poisson", (rate,)))
    return run_plan(plan, lambda record: None)


def file_of_host() -> Path:
    return state_folder() / "load-selftest.json"


def save(found: SelfTest) -> Path:
    path = file_of_host()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(asdict(found), indent=1) + "\n")
    return path


def load() -> SelfTest | None:
    """The last self-test of this host; None if there is none, or it is another host's."""
    path = file_of_host()
    try:
        said = json.loads(path.read_text())
        found = SelfTest(**(said | {"trials": [Trial(**one) for one in said["trials"]]}))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, LookupError):
        raise DocumentError(f"{path} cannot be read; `perfproof load selftest` writes it anew") from None
    return found if found.host == socket.gethostname() and found.requests_per_second > 0 else None
