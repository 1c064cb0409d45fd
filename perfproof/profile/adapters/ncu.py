"""ncu (Nsight Compute): hardware counters of every kernel, which is replayed for them.

The counters and the number of replays come from the manifest and are announced before anything runs.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from perfproof.core.child import Answer, ask
from perfproof.core.doctor import Finding
from perfproof.core.errors import DocumentError
from perfproof.machine.counter_permission import FIX
from perfproof.machine.probes import nsight_compute
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.plans import STEADY, Gathered, Plan, Ran, Work, find_tool
from perfproof.profile.portions import counted_portions
from perfproof.profile.presets import MOST_LAUNCHES
from perfproof.profile.python_program import is_launcher, is_python, recorded
from perfproof.profile.tool_help import Flags, accepted, read_flags

NAME = "ncu"
EXPORT_SECONDS = 300.0
RANGE = '{"kind": "range"}'
WINDOW = ".window.json"
FROM_START = "--profile-from-start=no"
# Demangled names are shortened unless ncu is told otherwise, and then match nobody's: mangled ones are whole.
WHOLE_NAMES = ("--rename-kernels=no", "--print-kernel-base=mangled")
RAW_PAGE = ("--page", "raw", "--csv", "--print-units", "base")
BY_NVTX = ("--nvtx", f"--nvtx-include={STEADY}/")
MADE = "profiler__replayer_passes"  # on the page of newer versions; of older ones, only in what was printed
ERROR = re.compile(r"^==ERROR== (.+)$", re.MULTILINE)
PASSES = re.compile(r"\.100% - (\d{1,4}) pass(?:es)?\b")  # warnings, and the program's lines, may stand before it


def works(work: Work) -> Finding:
    found = _asked(nsight_compute.probe)
    if found.state == "limited":  # it reads reports, and profiles nothing
        return found.model_copy(update={"state": "absent", "fix": "perfproof profile --tool torch"})
    return found


@cache
def _asked(probe: Callable[[], Finding]) -> Finding:
    """Once: a kernel is profiled for it, and both sides of a pair ask."""
    return probe()


def plan(work: Work, found: Finding) -> Plan:
    program = find_tool(NAME) or NAME
    return planned(work, program, read_flags(program, NAME))


def planned(work: Work, program: str, flags: Flags) -> Plan:
    if not work.metrics:
        return Plan(refused="there is no list of counters for this chip: name one that is like it with --chip")
    kept, dropped = accepted(options(work), flags)
    if work.marked and FROM_START not in kept:
        ranged, more = accepted(BY_NVTX, flags)
        kept, dropped = [*kept, *ranged], [*dropped, *more]
        if len(ranged) < len(BY_NVTX):
            why = "this ncu cannot be limited to a range: every kernel of loading and warm-up would be replayed"
            return Plan(dropped=tuple(dropped), refused=why)
    if not any(one.startswith("--metrics=") for one in kept):
        return Plan(dropped=tuple(dropped), refused="this ncu takes no --metrics; is it ncu?")
    limited = next((one.partition("=")[2] for one in kept if one.startswith("--launch-count=")), "")
    notes = [flags.unknown] if flags.unknown else []
    steady = in_steady_state(work) and FROM_START in kept
    where = " of the steady state" if steady else ""
    which = f" that match {work.kernels}" if work.kernels else ""
    notes += [f"the first {limited} kernels{where}{which} are counted, the others only run"] if limited else []
    wish = {"kind": "range", "output": str(work.file("")), "window": work.window}
    environment = {"PERFPROOF_CAPTURE": json.dumps(wish) if steady else RANGE} if work.marked or steady else {}
    command = recorded(work.command)[0] if steady else work.command
    return Plan(
        (program, *kept, *command),
        environment,
        tuple(dropped),
        recorded=("counters",),
        metrics=work.metrics,
        passes=work.passes,
        notes=tuple(notes),
        complete=work.file(WINDOW) if steady else None,
    )


def in_steady_state(work: Work) -> bool:
    """Whether the program says by itself when it is steady: one of Python, if not all of it is asked for."""
    return not work.marked and work.window is not None and work.on_gpu and is_python(work.command)


def options(work: Work) -> list[str]:
    asked = [
        f"--export={work.file('')}",
        "--force-overwrite",
        "--target-processes=all",
        "--clock-control=none",  # the clocks of the machine are as they are
        "--cache-control=none",
        "--replay-mode=kernel",
        f"--metrics={','.join(work.metrics)}",
    ]
    if work.marked:
        return [*asked, FROM_START]
    asked += [FROM_START] if in_steady_state(work) else []
    asked.append(f"--launch-count={work.count or MOST_LAUNCHES[work.preset]}")
    asked += [f"--launch-skip={work.skip}"] if work.skip else []
    if work.kernels:
        asked.append(f"--kernel-name=regex:{work.kernels}")
    elif is_launcher(work.command):  # kernels of NCCL, replayed one rank at a time, wait for ever
        asked.append("--kernel-name=regex:^(?!.*nccl)")
    return asked


def gather(work: Work, ran: Ran) -> Gathered:
    said = f"{ran.out}\n{ran.err}"
    if "ERR_NVGPUCTRPERM" in said:
        return Gathered(denied="the driver keeps its counters for administrators (ERR_NVGPUCTRPERM)", fix=FIX)
    if "driver resource was unavailable" in said:
        return Gathered(denied=nsight_compute.HELD, fix=nsight_compute.RELEASE)
    report, page = work.file(".ncu-rep"), work.file(".csv")
    if not report.is_file():
        error = ERROR.search(said)
        return Gathered(failed=f"ncu wrote no report: {error[1] if error else ran.last_line}")
    answer = exported(find_tool(NAME) or NAME, report)
    if not answer.ok:
        return Gathered(main_files=[report], failed=f"ncu cannot read its own report: {answer.why or answer.last_line}")
    page.write_text(answer.out)
    try:
        counted = ncu_csv.parse(answer.out, page.name)
    except DocumentError as error:
        return Gathered(main_files=[page], failed=str(error))
    seen = passes_made(counted, said)
    return Gathered(
        None,
        counted_portions(counted.kernels, work.metrics),
        main_files=[page],
        notes=[*counted.warnings, *_other_passes(work.passes, seen)],
        passes_seen=seen,
        unknown={"timeline": "ncu has counters of kernels, one after the other: no timeline"},
    )


def exported(program: str, report: Path) -> Answer:
    """The raw page with whole names, where this ncu can print them; else with those that it has."""
    command = [program, "--import", str(report), *RAW_PAGE]
    names, _ = accepted(WHOLE_NAMES, read_flags(program, NAME))
    answer = ask([*command, *names], EXPORT_SECONDS)
    return answer if answer.ok or not names else ask(command, EXPORT_SECONDS)


def passes_made(counted: ncu_csv.CountedKernels, said: str) -> list[int]:
    """How often kernels ran, each number once: from the page, or from what ncu printed."""
    values = [kernel.readings[MADE].value for kernel in counted.kernels if MADE in kernel.readings]
    found = {int(value) for value in values if value}
    return sorted(found or {int(number) for number in PASSES.findall(said)})


def _other_passes(announced: str, seen: list[int]) -> list[str]:
    """Where kernels were run more or less often than was said before."""
    said = [int(number) for number in re.findall(r"\d+", announced)]
    if not said or not seen or (said[0] <= seen[0] and seen[-1] <= said[-1]):
        return []
    return [f"ncu ran kernels {' or '.join(map(str, seen))} times, and {announced} were announced"]
