"""The compiler: graph breaks and recompilations, as TORCH_LOGS and TORCH_TRACE tell them. Any command will do."""

from dataclasses import asdict

from perfproof.core.doctor import Finding
from perfproof.machine import software
from perfproof.profile.compile_log import read_compile_log
from perfproof.profile.plans import Gathered, Plan, Ran, Work

NAME = "compile"
LOGS = "graph_breaks,recompiles,perf_hints"  # hints are for the reader of the log; the others are read
FOLDER = "torch-trace"


def works(work: Work) -> Finding:
    version = software.version_of("torch") or ""
    return Finding(name=NAME, state="works", why="torch.compile tells what it does", version=version)


def plan(work: Work, found: Finding) -> Plan:
    environment = {"TORCH_LOGS": LOGS, "TORCH_TRACE": str(work.folder / f"{work.name}-{FOLDER}")}
    return Plan(work.command, environment, recorded=("graph breaks", "recompilations", "hints"))


def gather(work: Work, ran: Ran) -> Gathered:
    """From what was logged; how many frames were compiled is in the trace alone."""
    log = work.file(".stderr")
    traces = sorted((work.folder / f"{work.name}-{FOLDER}").glob("*"))
    if not traces and ran.exit_code != 0:
        return Gathered(failed=f"nothing was compiled: {ran.last_line}")
    found = read_compile_log(log.read_text(errors="replace"), asked=True)
    counted = [read_compile_log(path.read_text(errors="replace"), asked=True).compiled for path in traces]
    compiled = sum(number for number in counted if number is not None)
    notes = [] if traces else ["the program compiled nothing: torch.compile was not reached"]
    told = {"events": [asdict(event) for event in found.events], "compiled": compiled}
    return Gathered(main_files=[log, *traces], notes=[*notes, *found.warnings], unknown=found.unknown, found=told)
