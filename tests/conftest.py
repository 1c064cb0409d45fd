"""What many tests share: warm parents started once, and a way to run a pair's source through the whole harness."""

import gc
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import hypothesis
import pytest

from perfproof.bench import process
from perfproof.bench import run as bench_run
from perfproof.bench import target as bench_target
from perfproof.bench.forms import two_functions
from perfproof.bench.launches import Launch, Launches, Line
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.options import EFFORTS, Effort, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs import catalogue
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Pair
from perfproof.worker import drawn_elsewhere, own_files
from perfproof.worker.libraries import COMPILES
from tests.repeating import up_to
from tests.warm_python import WarmPython

# Enough launches for an interval and the isolation test, few samples: tests look at what is found, not at precision.
SMALL = Effort("standard", 5, 5, couples=1, quads=20, most_quads=60, seconds=0.1, new_interpreters=False)
# One launch: enough to verify, to take samples and to check what they returned.
BRIEF = Effort("quick", 1, 1, couples=1, quads=10, most_quads=40, seconds=0.04, new_interpreters=False)

HERE = Path(__file__).parent
TRIES = 3  # of a test that measures; an attack has to be stopped every time
# Tests whose outcome depends on timing: folders, files, or tests of a file. A test may also carry the mark itself
# (tests/repeating.py).
MEASURING = (
    "attacks/",
    "bench/programs/test_compare.py::test_a_slower_program_is_found_slower_with_everything_beside_it",
    "bench/forms/test_two_environments.py::test_one_pair_in_two_environments",
    "worker/test_constants.py::test_a_pair_with_constants_is_verified_and_measured",
    "worker/test_constants.py::test_large_constants_are_lent_and_proved_to_be_read",
    "bench/test_everyday.py",
    "bench/test_preparation.py::test_processes_that_were_got_ready_together_are_measured_like_others",
    "bench/ranks/test_ranks.py",
    "bench/test_run.py::test_a_budget_ends_measuring_and_is_said",
    "bench/test_target.py",
    "chapters/test_ch04.py::test_a_pair_is_measured_on_two_ranks",
    "cli/commands/test_ab.py::test_one_program_at_two_revisions",
    "cli/commands/test_ab.py::test_the_gate_fails_where_b_is_slower_and_only_there",
    "cli/commands/test_history.py::test_bisect_finds_the_commit_and_leaves_the_tree_as_it_is",
    "cli/commands/test_monitor.py",
    "cli/commands/test_verify.py::test_a_real_regression_is_found_from_end_to_end",
    "faults/test_planted_faults.py",
    "faults/test_two_ranks.py",
    "machine/test_sampler.py",
    "notebook/test_compare.py::test_two_functions_are_verified_measured_saved_and_said_in_a_sentence",
    "worker/measure/",
    "peak/probes/test_allreduce.py",
    "peak/probes/test_cpu_probes.py",
    "worker/verify/test_watch.py",
)
# Tests among those that do not fit beside others, because they need more than one core or are easily disturbed:
# `make test` runs these at the end, one at a time, and names their files.
ALONE = (
    "bench/programs/test_compare.py",
    "bench/ranks/test_ranks.py",
    "bench/test_run.py",
    "chapters/",
    "cli/commands/test_ab.py",
    "cli/commands/test_monitor.py",
    "faults/",
    "machine/",
    "peak/",
)
# Tests among those that end before anything is timed, or that say nothing about times.
NOT_MEASURING = (
    "attacks/cuda/",
    "attacks/test_attacks.py::test_an_honest_pair_passes_the_verification",
    "attacks/test_attacks.py::test_attacks_are_small",
    "attacks/test_attacks.py::test_is_stopped_before_anything_is_timed",
    "attacks/test_classes.py::test_an_attack_on_the_verification_is_stopped_before_it_is_timed",
    "attacks/test_classes.py::test_an_honest_pair_passes_the_verification",
    "bench/ranks/test_ranks.py::test_a_rank_that_hangs_runs_out_of_the_target_s_time",
    "bench/ranks/test_ranks.py::test_a_rank_that_skips_a_collective_leaves_the_other_waiting_and_that_is_said",
    "bench/ranks/test_ranks.py::test_torchrun_starts_the_ranks_at_final_effort",
    "bench/test_target.py::test_a_function_that_needs_longer_than_it_may_is_a_timeout",
    "bench/test_target.py::test_a_memory_claim_is_judged_by_memory",
    "cli/commands/test_monitor.py::test_a_command_that_a_signal_ended_is_told_as_a_shell_tells_it",
    "cli/commands/test_monitor.py::test_an_interrupt_ends_it_with_the_summary_and_no_file_left",
    "cli/commands/test_monitor.py::test_an_interrupted_command_is_ended_and_still_summed_up",
    "cli/commands/test_monitor.py::test_arguments_reach_the_command_as_they_are",
    "cli/commands/test_monitor.py::test_the_page_for_prometheus_is_served_meanwhile",
    "cli/commands/test_monitor.py::test_wishes_that_make_no_sense_are_refused_in_one_line",
    "faults/test_planted_faults.py::test_a_healthy_program_of_a_gpu_is_left_alone",
    "faults/test_planted_faults.py::test_every_fault_has_its_program",
    "faults/test_planted_faults.py::test_the_fault_of_a_gpu_is_named_first_and_above_low",
    "faults/test_planted_faults.py::test_the_share_is_what_the_timeline_gives",
    "faults/test_planted_faults.py::test_what_binds_a_kernel_is_named_first",
    "worker/measure/test_arguments.py",
)


# How long an example takes is the machine's affair. What fails is to fail again for whoever looks at it.
hypothesis.settings.register_profile("perfproof", deadline=None, derandomize=True)
hypothesis.settings.load_profile("perfproof")


def pytest_configure() -> None:
    """A background job of a shell ignores Ctrl-C, and so would the programs that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        take_a_core(int(worker.removeprefix("gw")))
    catalogue.read_pair = read_once(catalogue.read_pair)


def take_a_core(worker: int) -> None:
    """Tests that run side by side get a core each: perfproof pins what it measures, and would pin all to the same."""
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[worker % len(cpus)]})


def read_once(read: Callable[..., Pair]) -> Callable[..., Pair]:
    """Read each file of the product's own catalogue once: all of it takes seconds, and many commands read all of it.

    No test changes those files. A file that a test writes is read every time.
    """
    root, known = catalogue.catalogue_root(), dict[tuple, Pair]()

    def read_pair(path: Path, *of: object) -> Pair:
        if root not in path.parents:
            return read(path, *of)
        if (path, *of) not in known:
            known[path, *of] = read(path, *of)
        return known[path, *of]

    return read_pair


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Nothing that imports and collection make is garbage: to look for it takes a quarter of their time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Packed bytes hold the time of packing: workers that collect the same tests would name them differently."""
    return argname if isinstance(val, bytes) and val.startswith(b"\x1f\x8b") else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_measuring(item):
            item.add_marker(pytest.mark.measuring)
            if is_alone(item):
                item.add_marker(pytest.mark.alone)
            if isinstance(item, pytest.Function) and "attacks" not in item.path.parts:
                item.obj = up_to(TRIES)(item.obj)


def is_measuring(item: pytest.Item) -> bool:
    return is_in(item, MEASURING) and not is_in(item, NOT_MEASURING)


def is_alone(item: pytest.Item) -> bool:
    return is_measuring(item) and is_in(item, ALONE)


def is_in(item: pytest.Item, patterns: tuple[str, ...]) -> bool:
    return is_listed(item.path, getattr(item, "originalname", item.name), patterns)


@cache
def is_listed(path: Path, test: str, patterns: tuple[str, ...]) -> bool:
    name = f"{path.relative_to(HERE).as_posix()}::{test}"
    return any(matches(name, one) for one in patterns)


def matches(name: str, pattern: str) -> bool:
    """Is the test `folder/file.py::test` in this folder or file, or this test?"""
    return name.startswith(pattern if pattern.endswith("/") else f"{pattern}::") or name == pattern


class KeptLaunches(Launches):
    """Warm parents that the end of a run does not end. The first one is started, the others are its forks.

    An import of torch takes seconds, and no test asks whether two parents have different layouts of memory.
    """

    first: Launch | None = None

    def import_libraries(self, names: list[str]) -> None:
        """Without what a compiler works out before it generates code: it takes seconds, and few tests generate any."""
        super().import_libraries([name for name in names if name != COMPILES])

    def begin(self, count: int) -> None:
        super().begin(1)
        if count > 1:
            self._wait(0)
            self._fork_others(count)
            super().begin(count)

    def _fork_others(self, count: int) -> None:
        if self.first is not self._lines[0].launches[0]:
            self.first = self._lines[0].launches[0]
            del self._lines[1:]  # a target has killed the first one, and so its forks
        while len(self._lines) < count:
            self._lines.append(Line())
            self._lines[-1].launches.append(self._fork_first())

    def _fork_first(self) -> Launch:
        nothing = self.scratch / "no-libraries"
        nothing.touch()
        return self._lines[0].launches[0].with_libraries(nothing)

    def new(self) -> Launch:
        """Forked from a parent, without the libraries of the target at hand."""
        self._wait(0)
        launch = self._fork_first()
        launch.wait_ready()
        return launch

    def close(self) -> None:
        self.forget_libraries()


@pytest.fixture(scope="session")
def launches() -> Iterator[Launches]:
    pool = KeptLaunches(worker_environment(RunOptions(), read_facts("cpu")))
    yield pool
    Launches.close(pool)


@pytest.fixture(scope="session")
def one_warm_python() -> Iterator[WarmPython]:
    """For fixtures of a module: `with one_warm_python.in_place():` around what starts programs."""
    warm = WarmPython()
    yield warm
    warm.close()


@pytest.fixture
def warm_python(one_warm_python: WarmPython) -> Iterator[WarmPython]:
    """Python programs that this process starts are forks of one with torch."""
    with one_warm_python.in_place():
        yield one_warm_python


@pytest.fixture(scope="session")
def one_warm_interpreter() -> Iterator[WarmPython]:
    warm = WarmPython(worker_environment(RunOptions(), read_facts("cpu")), but=("PYTHONHASHSEED",))
    yield warm
    warm.close()


@pytest.fixture
def warm_interpreters(one_warm_interpreter: WarmPython) -> Iterator[WarmPython]:
    """Interpreters that a run starts are forks of one: for tests of what they do, not of their layouts of memory."""
    with one_warm_interpreter.in_place():
        yield one_warm_interpreter


@pytest.fixture
def warm_bench(request: pytest.FixtureRequest, launches: Launches, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs within this process fork from the parents of all tests: importing torch anew takes seconds per run.

    A comparison of two functions reads all modules of the program for the files that they name. Of the tests, only the
    file that compares is such a module: to read the hundreds of others takes seconds too.
    """
    for module in (bench_run, two_functions):
        monkeypatch.setattr(module, "Launches", lambda *_: launches)
    monkeypatch.setattr(bench_target, "_try_others", lambda *_: None)
    others = [name for name in sys.modules if name.startswith("tests.") and name != request.module.__name__]
    monkeypatch.setattr(own_files, "_libraries", own_files._libraries.union(others))


@pytest.fixture
def brief_runs(warm_bench: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `warm_bench`, with few samples, and fewer looks at what they returned: for tests of what a command does."""
    monkeypatch.setattr(process, "CHECK_SECONDS", 0.1)  # still one output of each side at least
    monkeypatch.setattr(drawn_elsewhere, "ROUNDS", 9)
    for name in ("quick", "standard"):
        monkeypatch.setitem(EFFORTS, name, replace(BRIEF, name=name))


@pytest.fixture
def run_pair(launches: Launches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., TargetResult]:
    """Run a pair (a path, or its source) on the CPU: verified, measured with small effort, judged.

    What drawn values do not show is looked for with `others` only: it never stops a pair.
    """

    def run(
        pair: Path | str,
        *,
        effort: Effort = SMALL,
        timeout: float = 120.0,
        chapter: str = "tests",
        own: bool = False,
        others: bool = False,
        **options: object,
    ) -> TargetResult:
        if not others:
            monkeypatch.setattr(bench_target, "_try_others", lambda *_: None)
        path = pair if isinstance(pair, Path) else tmp_path / "pair.py"
        if isinstance(pair, str):
            path.write_text(textwrap.dedent(pair))
        read = read_pair(path.resolve(), path.stem, chapter, own)
        chosen = RunOptions(timeout=timeout, **options)  # type: ignore[arg-type]
        job = make_job(read, {}, chosen, read_facts("cpu"), "5eed", time.monotonic() + timeout)
        job = type(job)(**{**vars(job), "effort": effort})
        result, samples, log = run_target(job, launches, lambda *_, **__: None, timed=True)
        run.samples, run.log = samples, log  # type: ignore[attr-defined]
        return result

    return run
