"""All that a rule may look at, built from files in any mix by the readers of perfproof.profile.

A file that was named and cannot be read is an error in one line. In a folder (of `perfproof profile`, say) files that
no reader knows are left out, and the inputs say so.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from perfproof.core.ceilings import Ceilings
from perfproof.core.diagnosis import Input
from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, Events, Series, joined
from perfproof.diagnose.folders import files_of, told_of, unprofiled_beside
from perfproof.diagnose.traces import Trace, over_the_same_steps, trace_of
from perfproof.diagnose.wording import printable
from perfproof.machine import ceilings as stored_ceilings
from perfproof.machine import isa
from perfproof.profile import reading
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.ncu import report as ncu_report
from perfproof.profile.ncu.csv import CountedKernel
from perfproof.profile.opening import opened, read_text
from perfproof.profile.readers.kineto import UNTIMED

TIMELINES = ("kineto", "nsys", "rocprof", "xplane")  # what the readers call their tables
TELEMETRY = ("telemetry", "dmon", "nvidia smi query")
MEMORY = ("memory snapshot",)
STACKS = ("stacks", "speedscope", "perf script")
HEAD = 64 * 1024
DOMAIN_FILE = re.compile(r"_?(kernel|hip_api|hsa_api|memory_copy|marker_api)_trace\.csv(\.gz)?$")
TELLING_NAMES, LEAST_SHARED = 12, 0.2  # of files that are to be ranks of one job
COMPILE_LOG = re.compile(
    rb"\[__(graph_breaks|recompiles)\]|Graph break in user code|Recompiling function|"
    rb"^V\d{4} [\d:.]+ \d+ .*\{\"(dynamo_start|describe_tensor|stack|str|artifact|compilation_metrics)",
    re.MULTILINE,
)
NCU_PAGE = (b'"Kernel Name"', b"ERR_NVGPUCTRPERM", b"==PROF==", b"----\n    Metric Name")
NO_DEVICE_TRACE = (
    "a trace with a GPU's work and the calls that launched it: `perfproof profile --tool torch` where there is a GPU"
)
NO_COUNTERS = "counters of ncu: `perfproof profile --metrics deep` lists them, `--tool ncu` collects them"


@dataclass(frozen=True)
class Evidence:
    """See perfproof/diagnose/__init__.py for what each is."""

    traces: tuple[Trace, ...] = ()
    untimed: tuple[Trace, ...] = ()  # the host's side, if the GPU's times are missing: no program of a CPU
    counters: tuple[CountedKernel, ...] = ()
    series: dict[str, dict[str, Series]] = field(default_factory=dict)
    memory: tuple[Events, ...] = ()
    stacks: tuple[Events, ...] = ()
    compile_logs: dict[str, str] = field(default_factory=dict)
    tables: tuple[tuple[str, Events], ...] = ()
    ceilings: Ceilings | None = None
    unprofiled_step_ns: float | None = None
    cpu_features: frozenset[str] = frozenset()  # of this machine, if the traces were recorded on it
    inputs: tuple[Input, ...] = ()
    warnings: tuple[str, ...] = ()
    ran_long: bool = False  # the program that was profiled, or it was ended by the recording

    @property
    def device_traces(self) -> tuple[Trace, ...]:
        """Those with device work in their steady steps."""
        return tuple(trace for trace in self.traces if trace.devices)

    @property
    def uses_gpu(self) -> bool:
        """Whether a GPU worked, also where its times are missing."""
        return bool(self.device_traces) or any(UNTIMED in events.unknown for _, events in self.tables)


@dataclass
class _Gathered:
    """What was read so far, file by file."""

    tables: list[tuple[Path, Events]] = field(default_factory=list)
    counters: list[CountedKernel] = field(default_factory=list)
    compile_logs: dict[str, str] = field(default_factory=dict)
    ceilings: Ceilings | None = None
    inputs: list[Input] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def take(self, path: Path) -> None:
        head = _head(path)
        if path.name.endswith(".ncu-rep") or any(mark in head for mark in NCU_PAGE):
            counted = (ncu_report if path.name.endswith(".ncu-rep") else ncu_csv).read_file(path)
            self.counters += counted.kernels
            self._note(path, "counters", counted.warnings)
        elif b'"fingerprint"' in head and b'"ceilings"' in head:
            self.ceilings = stored_ceilings.parse(read_text(path), str(path))
            self._note(path, "ceilings")
        elif COMPILE_LOG.search(head) and not head.lstrip().startswith((b"{", b"[{")):
            self.compile_logs[str(path)] = read_text(path)
            self._note(path, "compile log")
        else:
            tables = reading.read_each(path)
            for events in tables:
                events.names = [printable(name) for name in events.names]
                self.tables.append((path, events))
            self._note(path, _what(tables[0]), tables[0].warnings)

    def leave_out(self, path: Path, why: str) -> None:
        self.inputs.append(Input(path=printable(str(path)), what=printable(f"left out: {why}")))

    def _note(self, path: Path, what: str, warnings: Sequence[str] = ()) -> None:
        self.inputs.append(Input(path=printable(str(path)), what=what))
        self.warnings += [printable(f"{path.name}: {warning}") for warning in warnings]


def gather(paths: Sequence[Path | str], unprofiled_step_ns: float | None = None) -> Evidence:
    """Read every file and sort it to where the rules look."""
    gathered = _Gathered()
    for path in map(Path, paths):
        if path.is_dir():
            told = _take_folder(gathered, path)
        else:
            gathered.take(path)
            told = unprofiled_beside(path)
        unprofiled_step_ns = told if unprofiled_step_ns is None else unprofiled_step_ns
    circumstances = [told_of(path) for path in map(Path, paths)]
    gathered.warnings[:0] = [printable(note) for one in circumstances for note in one.busy]
    return replace(_sort_out(gathered, unprofiled_step_ns), ran_long=any(one.ran_long for one in circumstances))


def _sort_out(gathered: _Gathered, unprofiled_step_ns: float | None) -> Evidence:
    traces = _traces(_joined_domains([one for one in gathered.tables if one[1].source in TIMELINES]))
    several = {path for path, count in Counter(path for path, _ in traces).items() if count > 1}
    known = [(path, trace.rank) for path, trace in traces if trace.rank != ABSENT and path not in several]
    ranks = {printable(str(path)): rank for path, rank in known}
    inputs = [one.model_copy(update={"rank": ranks.get(one.path)}) for one in gathered.inputs]
    series = {str(path): events.series for path, events in gathered.tables if events.series}
    return Evidence(
        traces=tuple(trace for _, trace in traces if UNTIMED not in trace.events.unknown),
        untimed=tuple(trace for _, trace in traces if UNTIMED in trace.events.unknown),
        counters=tuple(gathered.counters),
        series=series,
        memory=_of(gathered, MEMORY),
        stacks=_of(gathered, STACKS),
        compile_logs=gathered.compile_logs,
        tables=tuple((str(path), events) for path, events in gathered.tables),
        ceilings=gathered.ceilings,
        unprofiled_step_ns=unprofiled_step_ns,
        cpu_features=_cpu_features([trace for _, trace in traces]),
        inputs=tuple(inputs),
        warnings=tuple(dict.fromkeys(gathered.warnings)),
    )


def _joined_domains(tables: list[tuple[Path, Events]]) -> list[tuple[Path, Events]]:
    """rocprofv3 writes a file per domain: those of one run, by their folder and the begin of their names, are one."""
    groups: dict[Path, list[tuple[Path, Events]]] = {}
    for path, events in tables:
        domain = DOMAIN_FILE.search(path.name) if events.source == "rocprof" else None
        groups.setdefault(path.parent / path.name[: domain.start()] if domain else path, []).append((path, events))
    return [
        one
        for own in groups.values()
        for one in (own if len({path for path, _ in own}) == 1 else [(own[0][0], joined(events for _, events in own))])
    ]


def _cpu_features(traces: Sequence[Trace]) -> frozenset[str]:
    """Instruction sets of this CPU; of a trace that names another host, or none, nothing is known."""
    hosts = {trace.events.about.get("host_name") for trace in traces}
    return isa.features_of(next(iter(hosts))) if len(hosts) == 1 else frozenset()


def _of(gathered: _Gathered, sources: tuple[str, ...]) -> tuple[Events, ...]:
    return tuple(events for _, events in gathered.tables if events.source in sources)


def _traces(tables: list[tuple[Path, Events]]) -> list[tuple[Path, Trace]]:
    """One for each file with a timeline, by rank; of several, those that do not say their rank are numbered."""
    _refuse_strangers([(path, events) for path, events in tables if len(events) and events.rank[0] == ABSENT])
    taken = {events.rank[0] for _, events in tables if len(events)} - {ABSENT}
    free = iter(number for number in range(len(tables) + len(taken)) if number not in taken)
    paths, traces = [], []
    for path, events in tables:
        if len(tables) > 1 and len(events) and events.rank[0] == ABSENT:
            events.set_rank(next(free))
        found = trace_of(events, printable(path.name), events.rank[0] if len(events) else ABSENT)
        if found:
            paths.append(path)
            traces.append(found)
    return sorted(zip(paths, over_the_same_steps(traces), strict=True), key=lambda one: one[1].rank)


def _refuse_strangers(tables: list[tuple[Path, Events]]) -> None:
    """Ranks of one job call the same things. Files that do not say their rank and share hardly a name are no ranks."""
    for (path, one), (other_path, other) in pairwise(tables):
        names, others = set(one.names), set(other.names)
        fewest = min(len(names), len(others))
        alike = path != other_path and one.source == other.source
        if alike and fewest >= TELLING_NAMES and len(names & others) < LEAST_SHARED * fewest:
            what = f"{path.name} and {other_path.name} have hardly a name in common: they are no ranks of one job"
            do = f"diagnose them one by one, or compare them: perfproof compare {path} {other_path}"
            raise DocumentError(printable(f"{what}; {do}"))


def _take_folder(gathered: _Gathered, path: Path) -> float | None:
    """Take what is in it; the unprofiled time of what was captured, where its record tells it."""
    folder = files_of(path)
    before = len(gathered.inputs)
    for file in folder.files:
        try:
            gathered.take(file)
        except DocumentError as error:
            if folder.recorded:
                raise
            gathered.leave_out(file, str(error).removeprefix(f"{file}: "))
    if all(one.what.startswith("left out") for one in gathered.inputs[before:]):
        raise DocumentError(f"{path}: no file in this folder is a profile that can be read here")
    return folder.unprofiled_ns


def _head(path: Path) -> bytes:
    """How a file begins, unpacked; nothing of what cannot be opened, which the readers then say better."""
    if not path.is_file():
        return b""
    try:
        with opened(path) as file:
            return file.read(HEAD)
    except DocumentError:
        return b""


def _what(events: Events) -> str:
    for sources, what in ((TIMELINES, "trace"), (TELEMETRY, "telemetry"), (MEMORY, "memory"), (STACKS, "stacks")):
        if events.source in sources:
            return f"{what} ({events.source})" if events.source != what else what
    return events.source
