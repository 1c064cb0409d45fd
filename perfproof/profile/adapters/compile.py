"""The compiler: graph breaks and recompilations, as TORCH_LOGS and TORCH_TRACE tell them. Any command will do."""

import json
from dataclasses import asdict

from perfproof.core.doctor import Finding
from perfproof.machine import software
from perfproof.profile.compile_log import read_compile_log
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.python_program import is_python, recorded

NAME = "compile"
LOGS = "graph_breaks,recompiles,perf_hints"  # hints are for the reader of the log; the others are read
FOLDER = "torch-trace"


def works(work: Work) -> Finding:
    version = software.version_of("torch") or ""
    return Finding(name=NAME, state="works", why="torch.compile tells what it does", version=version)


def plan(work: Work, found: Finding) -> Plan:
    """A pair says itself when it is warm; a Python program is watched for its first batches."""
    environment = {"TORCH_LOGS": LOGS, "TORCH_TRACE": str(work.folder / f"{work.name}-{FOLDER}")}
    command = work.command
    if not work.marked and is_python(command):
        command, _ = recorded(command)
        environment["PERFPROOF_CAPTURE"] = json.dumps({"kind": "warm"})
    return Plan(command, environment, recorded=("graph breaks", "recompilations", "hints"))


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
    main = [log] if found.events else traces  # an empty log proves nothing to whoever reads it later; a trace does
    return Gathered(main_files=main, notes=[*notes, *found.warnings], unknown=found.unknown, found=told)
