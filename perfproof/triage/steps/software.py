"""List the software: Python packages, torch and its build, CUDA libraries, compilers, profilers, telling variables."""

import importlib.metadata
import os

from perfproof.machine import libraries, software, tool_version
from perfproof.triage.evidence import Evidence

DEADLINE = 20
TOOLS = ("nvcc", "nsys", "ncu", "gcc", "clang", "perf", "py-spy", "git")
VARIABLES = ("CUDA_", "NCCL_", "TORCH", "PYTORCH_", "OMP_", "MKL_", "TRITON_", "NVIDIA_TF32", "XLA_", "KMP_", "GLOO_")
NAMES = (
    "LD_PRELOAD", "MALLOC_CONF", "SLURM_NNODES", "SLURM_NTASKS", "SLURM_CPUS_PER_TASK", "WORLD_SIZE",
    "LOCAL_WORLD_SIZE", "RANK", "LOCAL_RANK",
)  # fmt: skip


def collect(evidence: Evidence) -> None:
    tools = {name: _version(evidence, name) for name in TOOLS}
    found = {
        "versions": {name: version or "absent" for name, version in software.versions().items()},
        "torch_build": software.torch_build(),
        "libraries": libraries.versions(),
        "tools": tools,
        "packages": packages(),
        "variables": telling_variables(dict(os.environ)),
    }
    evidence.save("software", found)


def packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in importlib.metadata.distributions():
        name = package.metadata["Name"]
        if name:
            found.setdefault(name.lower(), package.version)  # the first on the path is the one that is imported
    return dict(sorted(found.items()))


def telling_variables(environment: dict[str, str]) -> dict[str, str]:
    """Only variables that are known to move performance: all others are none of a bundle's business."""
    chosen = {name: value for name, value in environment.items() if name.startswith(VARIABLES) or name in NAMES}
    return dict(sorted(chosen.items()))


def _version(evidence: Evidence, name: str) -> str:
    answer = evidence.ask(name, "--version", keep=f"{name}.txt")
    if answer.why:
        return f"absent: {answer.why}" if "not on the PATH" in answer.why else f"unknown: {answer.why}"
    found = tool_version.parse(answer.text)
    lines = answer.out.strip().splitlines()
    return lines[0] if found == tool_version.UNKNOWN and lines else found
