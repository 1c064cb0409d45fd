"""What many tests share: warm parents started once, and a way to run a pair's source through the whole harness."""

import signal
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.options import Effort, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair

# Enough launches for an interval and the isolation test, few samples: tests look at what is found, not at precision.
SMALL = Effort("standard", 5, 5, couples=1, quads=20, most_quads=60, seconds=0.1, new_interpreters=False)


# How long an example takes is the machine's affair. What fails is to fail again for whoever looks at it.
hypothesis.settings.register_profile("perfproof", deadline=None, derandomize=True)
hypothesis.settings.load_profile("perfproof")


def pytest_configure() -> None:
    """A background job of a shell ignores Ctrl-C, and so would the programs that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def launches() -> Iterator[Launches]:
    pool = Launches(worker_environment(RunOptions(), read_facts("cpu")))
    yield pool
    pool.close()


@pytest.fixture
def run_pair(launches: Launches, tmp_path: Path) -> Callable[..., TargetResult]:
    """Run a pair (a path, or its source) on the CPU: verified, measured with small effort, judged."""

    def run(pair: Path | str, *, effort: Effort = SMALL, timeout: float = 120.0, **options: object) -> TargetResult:
        path = pair if isinstance(pair, Path) else tmp_path / "pair.py"
        if isinstance(pair, str):
            path.write_text(textwrap.dedent(pair))
        read = read_pair(path.resolve(), path.stem, "tests")
        chosen = RunOptions(timeout=timeout, **options)  # type: ignore[arg-type]
        job = make_job(read, {}, chosen, read_facts("cpu"), "5eed", time.monotonic() + timeout)
        job = type(job)(**{**vars(job), "effort": effort})
        result, samples, log = run_target(job, launches, lambda *_, **__: None, timed=True)
        run.samples, run.log = samples, log  # type: ignore[attr-defined]
        return result

    return run
