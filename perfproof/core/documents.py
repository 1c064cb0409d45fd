"""The stored documents: what a run writes, what every reader may rely on.

`run.json` is a `Run`. Times are in seconds, memory in bytes, ratios are baseline over variant (above 1 is faster, or
less memory). The JSON Schema in docs/schema is generated from these classes; a test keeps it current.
"""

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from perfproof.core.warning_kinds import Kind, kind_of

SCHEMA_VERSION = 1

Status = Literal["ok", "skipped", "refused", "failed-verification", "rejected", "crashed", "timeout"]
Gate = Literal["pass", "fail", "not decided"]
Verdict = Literal["faster", "slower", "better", "worse", "same", "inconclusive", "unstable", "indicative"]


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Check(Document):
    """One thing that was looked at. A check that did not run never counts as passed."""

    name: str
    result: Literal["pass", "fail", "not-run"]
    detail: str = ""


class Warning(Document):
    """Something the reader should know; `perfproof explain CODE` says what it means and what to do."""

    code: str
    text: str
    kind: Kind = Field("warning", description="a note is routine; a warning asks for something to be done")

    @model_validator(mode="before")
    @classmethod
    def _kind_by_code(cls, given: Any) -> Any:
        """Documents from before there were kinds have codes."""
        return {"kind": kind_of(given["code"])} | given if isinstance(given, dict) and "code" in given else given


class Error(Document):
    """How far a variant's output was from the reference: the worst of all checked calls."""

    rms_relative: float = Field(description="norm of the difference over norm of the reference")
    max_absolute: float
    of_tolerance: float = Field(description="worst |difference| / (atol + rtol |reference|); above 1 fails")
    calls_checked: int


class Memory(Document):
    """Peak memory of a process that ran this variant alone, above what it held before the calls."""

    peak_bytes: int
    processes: int
    exact: bool = Field(description="all processes agreed within the quantum of the counter")
    counter: str


class Kernel(Document):
    """One kernel, copy or fill that ran on the device."""

    name: str
    count: float = Field(description="launches a call")
    seconds: float = Field(description="a call")


class KernelResources(Document):
    """What a compiled kernel takes of a multiprocessor. Without a launch on a GPU the last four are unknown."""

    kernel: str
    side: str = Field("", description="that launched it; empty if it was only compiled")
    architecture: str = Field(description="sm_90a")
    registers: int = Field(description="per thread")
    static_shared: int = Field(description="bytes per block that the source declares")
    local: int = Field(description="bytes per thread outside of registers: arrays and spilled registers")
    spill_stores: int | None = Field(None, description="bytes; None if the compiler does not say")
    spill_loads: int | None = None
    dynamic_shared: int | None = Field(None, description="bytes per block that the launch asks for")
    block: list[int] | None = Field(None, description="threads of a block")
    blocks_per_sm: int | None = Field(None, description="that fit at once")
    occupancy: float | None = Field(None, description="threads that fit over threads that a multiprocessor can hold")


class Sanitized(Document):
    """What one tool of compute-sanitizer found in the kernels of a target, at smoke sizes."""

    tool: Literal["memcheck", "racecheck"]
    result: Literal["pass", "fail", "not-run"]
    detail: str = Field("", description="with not-run: why")
    summary: str = Field("", description="the tool's last line")
    errors: int | None = None
    reports: list[str] = Field(default_factory=list, description="the first errors, a line each")
    seconds: float = 0.0


class RankTimes(Document):
    """How unevenly the ranks of a pair share the time of a sample: the slowest rank's is the value."""

    spread: float = Field(description="(slowest - fastest) / slowest, median over samples")
    straggler: int = Field(description="the rank that is slowest most often")
    straggler_share: float = Field(description="of the samples in which it is")


class Ranks(Document):
    """The ranks that a pair ran on."""

    count: int
    backend: str
    threads: int = Field(description="of each rank")
    cpus: list[list[int]] = Field(description="that each rank may use")
    started_by: Literal["fork", "torchrun"] = "fork"
    skew_seconds: float | None = Field(None, description="between the first and the last rank's start, median")


class Light(Document):
    """A side against what its machine can do; shares are of measured ceilings."""

    fastest_seconds: float | None = Field(None, description="that declared bytes and operations allow at the ceilings")
    share: float | None = Field(None, description="fastest_seconds over the measured time")
    bound: str = Field("", description="memory or compute: which of the two takes longer at the ceilings")
    ceiling: str = Field("", description="the name of the ceiling")
    bytes_per_second: float | None = None
    flops_per_second: float | None = None
    traffic_ratio: float | None = Field(None, description="bytes of the baseline over those of this side")
    bandwidth_ratio: float | None = Field(None, description="with traffic_ratio it multiplies to the speed-up")


class Timing(Document):
    """One quantity of a program that was measured without another beside it."""

    mean: float = Field(description="over the blocks of runs")
    low: float | None = Field(None, description="ends of the interval of the mean; None below five blocks")
    high: float | None = None
    level: float = Field(0.97, description="confidence of [low, high]")
    least: float = Field(description="of all runs")
    most: float
    runs: int
    blocks: int


class VariantResult(Document):
    times: dict[str, float] = Field(
        default_factory=dict,
        description="seconds per call by clock, the judging one first; for the judging clock see RatioResult.baseline",
    )
    hot_seconds: float | None = Field(None, description="a call on one set over and over: what caches give")
    enqueue_seconds: float | None = Field(None, description="what the host needs to queue a call of a device")
    clock_hz: float | None = Field(None, description="of the device's multiprocessors, median over samples")
    kernels: list[Kernel] = Field(default_factory=list, description="what ran on the device, the longest first")
    memory: Memory | None = None
    setup_seconds: float | None = Field(None, description="prepare_<variant>, median over processes; not in the times")
    first_call_seconds: float | None = Field(
        None, description="what the first call takes longer than a later one, median over processes; not in the times"
    )
    cpu_share: float | None = Field(None, description="CPU time over wall time of the timed calls; None on a GPU")
    startup_seconds: float | None = Field(None, description="load, prepare and first call in a new interpreter")
    light: Light | None = None
    energy_joules: float | None = Field(None, description="a call, from the device's own counter, idle power included")
    metrics: dict[str, float] = Field(default_factory=dict, description="reported by a whole program, median of runs")
    timings: dict[str, Timing] = Field(
        default_factory=dict, description="of a program without another beside it: wall, cpu, and its metrics"
    )
    ranks: RankTimes | None = None
    error: Error | None = None


class Mode(Document):
    """A group of launches that agree with each other and not with the rest."""

    launches: int
    ratio: float


# How the sides were arranged, and the word in a result whose ratio is less what switching between them does.
CORRECTED = {"plain": "corrected", "in-turn": "in-turn-corrected"}


class RatioResult(Document):
    """One variant against the baseline, judged."""

    verdict: Verdict
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    baseline: float | None = Field(
        None, description="seconds per call (bytes, joules, a metric) of the baseline; baseline / variant is the ratio"
    )
    variant: float | None = Field(None, description="the same of the variant, over the same launches and samples")
    typical: float | None = Field(None, description="ratio of typical calls: median of neighbours, not of totals")
    typical_low: float | None = None
    typical_high: float | None = None
    level: float = Field(0.97, description="confidence of [low, high]")
    launches: int = 0
    processes: int = 0
    rung: str = Field("plain", description="corrected, in-turn-corrected; programs; or an older way")
    claim: Literal["time", "memory", "energy", "startup", "metric"] = "time"
    clock: str = Field("call", description="what was read: a clock, a memory counter, or the name of a metric")
    size: Literal["material", "small", "unclear"] | None = None
    bound: float | None = Field(None, description="with `same`: any difference is below this share")
    smallest_effect: float | None = Field(None, description="what this comparison would have found in 9 of 10 runs")
    more_launches: int | None = Field(None, description="with `inconclusive`: launches it still needs")
    more_seconds: float | None = None
    beta: float | None = Field(None, description="the systematic band an interval has to clear")
    delta: float | None = None
    slot_effect: float | None = Field(None, description="log-ratio moved by creation order; balanced out of the ratio")
    twin: float | None = Field(None, description="log-ratio of the baseline against its own twin in this run")
    carry_over: float | None = Field(None, description="D: what switching costs more than staying, variant - baseline")
    invalid_quads: int = 0
    quads: int = 0
    modes: list[Mode] = Field(default_factory=list)
    units: list[float] = Field(default_factory=list, description="log-ratio of each launch (or block of programs)")
    note: str = ""


class FunctionSource(Document):
    """Where a compared function is defined, for functions that have no pair's file."""

    path: str
    name: str
    line: int = Field(0, description="of its first decorator, or of its `def`")
    sha256: str = Field("", description="of the whole file")


class TargetResult(Document):
    target: str
    status: Status
    reason: str = ""
    verdict: Verdict | None = Field(None, description="of the first variant")
    gate: Gate | None = Field(None, description="with --gate: what it decided about this target")
    labels: dict[str, str] = Field(default_factory=dict, description="what to call a side, if not by its name")
    path: str = ""
    lesson: str = ""
    tier: str = ""
    device: str = ""
    sizes: dict[str, Any] = Field(default_factory=dict)
    source_sha256: str = ""
    functions: dict[str, FunctionSource] = Field(
        default_factory=dict, description="of two compared functions: where each side is defined, as far as it is known"
    )
    code_sha256: str = Field("", description="of the source without its opening words, the lesson")
    variants: dict[str, VariantResult] = Field(default_factory=dict)
    ratios: dict[str, RatioResult] = Field(default_factory=dict)
    also: dict[str, RatioResult] = Field(default_factory=dict, description="what else the same processes measured")
    program: dict[str, Any] = Field(default_factory=dict, description="whole programs: commands, exits, outputs")
    checks: list[Check] = Field(default_factory=list)
    warnings: list[Warning] = Field(default_factory=list)
    cost: dict[str, float] = Field(default_factory=dict)
    floor_seconds: float | None = Field(None, description="the empty-body floor of the clock, a call")
    kernel_clock: str = Field("", description="how busy time was read: CUPTI, graph replay, or unknown: why")
    primed: bool | None = Field(None, description="was the device's queue held until a sample's calls were in it?")
    pool: dict[str, Any] = Field(default_factory=dict, description="argument sets, bytes, how values were renewed")
    kernel_resources: list[KernelResources] = Field(
        default_factory=list, description="registers, shared memory, spills and occupancy of the pair's own kernels"
    )
    sanitizers: list[Sanitized] = Field(default_factory=list, description="with --sanitize")
    ranks: Ranks | None = Field(None, description="where the pair runs on several; memory is the largest rank's")
    started: str = ""
    seconds: float = 0.0
    spent: dict[str, float] = Field(default_factory=dict, description="seconds by what they went into")
    samples: str | None = Field(None, description="raw samples, relative to the run's folder")
    log: str | None = Field(None, description="what the target printed, relative to the run's folder")
    telemetry: dict[str, Any] | None = Field(None, description="clocks, power and the like while its samples ran")
    output_tail: str = ""
    profile: str | None = Field(
        None, description="with --profile: the profile of its last variant, below the artifacts folder, or unknown: why"
    )

    @property
    def is_alone(self) -> bool:
        """A program that was timed without another beside it: it has times and no verdict."""
        return self.status == "ok" and any(side.timings for side in self.variants.values())


class Run(Document):
    schema_name: ClassVar[str] = "run"

    schema_version: int = SCHEMA_VERSION
    perfproof_version: str
    run: str = Field(description="the name of the run's folder")
    state: Literal["running", "finished", "interrupted"] = "running"
    started: str
    finished: str | None = None
    command: list[str] = Field(default_factory=list)
    git: dict[str, Any] = Field(default_factory=dict)
    machine: dict[str, Any] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)
    seed: str = Field("", description="with the options it repeats the run: `perfproof rerun`")
    planned: list[str] = Field(default_factory=list)
    targets: list[TargetResult] = Field(default_factory=list)
    telemetry: str | None = Field(None, description="telemetry file, relative to the folder, or unknown: why")


def read_run(text: str) -> Run:
    """A `Run` from JSON; an older version is read, a newer one refused by name."""
    import json

    from perfproof.core.errors import DocumentError

    try:
        raw = json.loads(text)
        version = raw["schema_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise DocumentError(f"not a run document: {error}") from None
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise DocumentError(
            f"written by a newer perfproof: schema version {version}, this one reads up to {SCHEMA_VERSION}; upgrade it"
        )
    try:
        return Run.model_validate(raw)
    except ValueError as error:
        first = str(error).splitlines()
        raise DocumentError(f"not a run document: {' '.join(first[:3])}") from None
