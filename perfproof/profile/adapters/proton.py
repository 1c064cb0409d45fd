"""Proton, Triton's own profiler: kernels under the scopes of the program."""

from dataclasses import replace

from perfproof.core.doctor import Finding
from perfproof.machine.probes import proton as probed
from perfproof.profile.adapters import torch
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.python_program import recorded
from perfproof.profile.reading import read

NAME = "proton"


def works(work: Work) -> Finding:
    why = "" if work.marked else recorded(work.command)[1]
    found = probed.probe()
    if found.state == "limited":  # nothing starts without a GPU
        return found.model_copy(update={"state": "absent", "fix": "perfproof profile --tool torch"})
    return Finding(name=NAME, state="denied", why=why) if why else found


def plan(work: Work, found: Finding) -> Plan:
    return replace(torch.in_window(work, torch.recording_plan(work, "proton", {})), recorded=("kernels", "scopes"))


def gather(work: Work, ran: Ran) -> Gathered:
    tree = work.file(".hatchet")
    if not tree.is_file():
        return Gathered(failed=f"no tree was written: {ran.last_line}")
    events = read(tree)
    return Gathered(events, main_files=[tree], unknown=dict(events.unknown), notes=list(events.warnings))
