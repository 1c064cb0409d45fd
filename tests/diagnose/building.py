"""Event tables and counters written by hand, in microseconds, so that every share can be worked out on paper.

A program has four steps of 1000 µs unless said otherwise; the first and the last are dropped, so the steady time is
from 1000 to 3000 µs: what happens for 100 µs in each step is 10 %.
"""

from perfproof.core.events import Events, Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import trace_of
from perfproof.profile.ncu.csv import CountedKernel
from perfproof.profile.ncu.numbers import Reading
from perfproof.profile.roofline_counters import TIME

US = 1000
STEP = 1000  # µs
STEPS = 4
MAIN = 1  # the thread


class Program:
    """A table that grows by calls, and the evidence of it."""

    def __init__(self, rank=None, step=STEP, steps=STEPS, first=0):
        self.events = Events("kineto")
        self.step, self.steps, self.correlation = step, steps, 0
        self.rank = -1 if rank is None else rank
        for number in range(steps):
            self.add(Kind.RANGE, f"ProfilerStep#{first + number}", number * step, (number + 1) * step)

    def add(self, kind, name, start, end, thread=MAIN, **columns):
        columns = {"process": 1, "rank": self.rank, "thread": thread} | columns
        self.events.add(kind, name, round(start * US), round(end * US), **columns)

    def starts(self):
        return [number * self.step for number in range(self.steps)]

    def each_step(self, kind, name, start, end, **columns):
        for base in self.starts():
            self.add(kind, name, base + start, base + end, **columns)

    def kernel(self, start, end, name="kernel", launched=None, call=4, launcher="cudaLaunchKernel", **columns):
        """Device work with the call that launched it: at `launched`, by default as it starts."""
        self.correlation += 1
        at = start - call if launched is None else launched
        self.add(Kind.RUNTIME, launcher, at, at + call, correlation=self.correlation)
        self.work(start, end, name, correlation=self.correlation, **columns)

    def work(self, start, end, name="kernel", kind=Kind.KERNEL, **columns):
        self.add(kind, name, start, end, **{"stream": 7, "device": 0, "thread": -1} | columns)

    def busy(self, start, end, name="kernel", **columns):
        """A kernel in every step, launched long before it starts."""
        for base in self.starts():
            self.kernel(base + start, base + end, name, launched=base + start - 100, **columns)

    def evidence(self, **more):
        return evidence_of(self, **more)


def evidence_of(*programs, **more):
    traces = [trace_of(one.events, f"rank{one.rank}.json", one.rank) for one in programs]
    return Evidence(traces=tuple(traces), **more)


def counters(*kernels):
    """Each (name, seconds, {metric: value}); values as ncu's reader gives them, per cent as shares of one."""
    return Evidence(
        counters=tuple(
            CountedKernel(name, readings={k: Reading(v, "share") for k, v in values.items()} | time_of(seconds))
            for name, seconds, values in kernels
        )
    )


def time_of(seconds):
    return {TIME: Reading(seconds, "time")}


ELAPSED = "avg.pct_of_peak_sustained_elapsed"
DRAM, SM, TENSOR = (
    f"dram__throughput.{ELAPSED}",
    f"sm__throughput.{ELAPSED}",
    f"sm__pipe_tensor_cycles_active.{ELAPSED}",
)
L2, L1 = f"lts__throughput.{ELAPSED}", "l1tex__throughput.avg.pct_of_peak_sustained_active"
ISSUE = "smsp__issue_active.avg.per_cycle_active"
