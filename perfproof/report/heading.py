"""The first line of a run: perfproof, the machine by its market name, torch, how busy it is, and the effort.

Whole programs are measured without perfproof's torch, so its version says nothing about them.
"""

import re
from typing import Any

from perfproof.core.documents import Run
from perfproof.machine import arm_cores
from perfproof.report.rows import machine_warnings

BUSY = "W107"
NOISE = r"\((?:R|TM|C)\)|\bCPU\b|\bProcessor\b|\b\d+-Core\b|@.*$|\bwith\b.*$"


def heading(run: Run) -> str:
    effort = f"{run.options.get('effort', 'standard')} effort"
    sizes = ", smoke sizes" if run.options.get("fast") else ""
    machine = machine_name(run.machine)
    parts = (f"perfproof {run.perfproof_version}", machine, torch_text(run), load_text(run), effort + sizes, _seed(run))
    return " · ".join(part for part in parts if part)


def _seed(run: Run) -> str:
    """A seed that was given, by a person or by `rerun`: the values are not new ones."""
    seed = str(run.options.get("seed") or "")
    return f"given seed {seed[:8]}{'…' if len(seed) > 8 else ''}" if seed else ""


def torch_text(run: Run) -> str:
    """The version of torch; empty if it is unknown, or if every target is a whole program."""
    version = run.machine.get("software", {}).get("torch")
    programs = bool(run.targets) and all(target.program for target in run.targets)
    return f"torch {version}" if version and not programs else ""


def machine_name(machine: dict[str, Any]) -> str:
    """`NVIDIA H200, 16 cores of the CPU` or `Neoverse N1, 2 cores`; the kind if the document says no more."""
    cpu, gpus, gpu = machine.get("cpu") or {}, machine.get("gpus") or [], machine.get("gpu")
    cores = cpu.get("cores_allowed") or cpu.get("cores_physical")
    count = "" if not cores else f"{cores} core{'' if cores == 1 else 's'}"
    if isinstance(gpu, int) and gpu < len(gpus) and gpus[gpu].get("name"):
        return f"{gpus[gpu]['name']}{f', {count} of the CPU' if count else ''}"
    name = processor_name(str(cpu.get("model") or ""))
    if not name:
        return str(machine.get("kind", "unknown machine"))
    return f"{name}{f', {count}' if count else ''}"


def processor_name(model: str) -> str:
    """Without trade marks and clock; an Arm core by its name. Empty if the model is unknown."""
    numbers = re.fullmatch(r"Arm implementer (0x[0-9a-fA-F]+) part (0x[0-9a-fA-F]+)", model)  # of older documents
    if numbers:
        return arm_cores.core_name(int(numbers[1], 16), int(numbers[2], 16))
    return "" if model.startswith("unknown") else " ".join(re.sub(NOISE, " ", model, flags=re.IGNORECASE).split())


def load_text(run: Run) -> str:
    load = (run.machine.get("cpu") or {}).get("load_average")
    if is_busy(run):
        return f"machine busy (load {load[0]:.1f})" if load else "machine busy"
    return f"load {load[0]:.1f}" if load else ""


def is_busy(run: Run) -> bool:
    """Others used the CPU when the run began: the heading says so, and nothing else has to."""
    return any(warning["code"] == BUSY for warning in machine_warnings(run))
