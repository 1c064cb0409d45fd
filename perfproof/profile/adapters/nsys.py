"""nsys (Nsight Systems): the timeline of a whole program, or of the range that a pair's calls open."""

import re

from perfproof.core.child import ask
from perfproof.core.doctor import Finding
from perfproof.machine.probes import nsight_systems
from perfproof.profile.plans import Gathered, Plan, Ran, Work, find_tool
from perfproof.profile.presets import RECORDED
from perfproof.profile.reading import read
from perfproof.profile.tool_help import Flags, accepted, read_flags

NAME = "nsys"
EXPORT_SECONDS = 300.0
RANGE = '{"kind": "range"}'
RANGE_OPTIONS = ("--capture-range=cudaProfilerApi", "--capture-range-end=stop")


def works(work: Work) -> Finding:
    return nsight_systems.probe()


def plan(work: Work, found: Finding) -> Plan:
    program = find_tool(NAME) or NAME
    return planned(work, found, program, read_flags(program, NAME))


def planned(work: Work, found: Finding, program: str, flags: Flags) -> Plan:
    ranged = work.marked and work.on_gpu
    kept, dropped = accepted(options(work, samples="traces only" not in found.why), flags)
    notes = [flags.unknown] if flags.unknown else []
    if ranged and RANGE_OPTIONS[0] not in kept:
        return Plan(dropped=tuple(dropped), refused="this nsys cannot be limited to a range: steady calls are not told")
    if work.marked and not ranged:
        notes.append("without a GPU nothing marks the range: loading and warm-up are in the recording")
    environment = {"PERFPROOF_CAPTURE": RANGE} if ranged else {}
    traced = next((one.partition("=")[2].split(",") for one in kept if one.startswith("--trace=")), [])
    command = (program, "profile", *kept, *work.command)
    return Plan(command, environment, tuple(dropped), tuple(traced), notes=tuple(notes))


def options(work: Work, samples: bool) -> list[str]:
    """What the preset asks for, each one word; `samples`: the CPU may be sampled here."""
    wanted = RECORDED[work.preset]
    traces = ["cuda", "nvtx", *(("osrt", "cublas", "cudnn") if wanted.host else ()), *work.tracing]
    sampled = wanted.host and samples
    asked = [
        f"--output={work.file('')}",
        "--force-overwrite=true",
        f"--trace={','.join(dict.fromkeys(traces))}",
        f"--sample={'process-tree' if sampled else 'none'}",
        f"--cpuctxsw={'process-tree' if sampled else 'none'}",
        "--cuda-graph-trace=node",  # the default shows a graph as one bar
    ]
    asked += ["--cuda-memory-usage=true"] if wanted.memory else []
    asked += ["--gpu-metrics-devices=cuda-visible"] if wanted.gpu_metrics else []
    asked += ["--python-backtrace=cuda"] if wanted.stacks and sampled else []
    asked += RANGE_OPTIONS if work.marked and work.on_gpu else []
    return asked


def gather(work: Work, ran: Ran) -> Gathered:
    report, database = work.file(".nsys-rep"), work.file(".sqlite")
    if not report.is_file():
        return _no_report(work, ran)
    arguments = ["export", "--type=sqlite", "--force-overwrite=true", f"--output={database}", str(report)]
    answer = ask([find_tool(NAME) or NAME, *arguments], EXPORT_SECONDS)
    if not answer.ok or not database.is_file():
        return Gathered(main_files=[report], failed=f"nsys export made no database: {answer.why or answer.last_line}")
    events = read(database)
    return Gathered(events, main_files=[database], unknown=dict(events.unknown), notes=list(events.warnings))


def _no_report(work: Work, ran: Ran) -> Gathered:
    raw = work.file(".qdstrm")
    if raw.is_file():
        return Gathered(main_files=[raw], failed="nsys has no importer here: the raw recording is kept (.qdstrm)")
    if re.search(r"permission|not permitted|paranoid", ran.err, re.IGNORECASE):
        return Gathered(denied=ran.last_line, fix=nsight_systems.PARANOID_FIX)
    return Gathered(failed=f"nsys wrote no report: {ran.last_line}")
