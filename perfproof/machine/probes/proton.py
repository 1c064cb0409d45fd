"""Proton: Triton's own profiler, part of its package."""

from perfproof.core.doctor import Finding
from perfproof.machine import facts, software

GROUP, FOR_GPUS = "profilers", True
NAME = "proton"


def probe() -> Finding:
    usable, why_not = facts.usable_gpus()
    version = software.version_of("triton") or ""
    return judge(software.has_package("triton.profiler"), version, "" if usable else why_not)


def judge(installed: bool, version: str, why_no_gpu: str) -> Finding:
    if not version:
        return Finding(name=NAME, state="absent", why="triton is not installed", fix="pip install triton")
    if not installed:
        return Finding(name=NAME, state="absent", why=f"triton {version} comes without it", fix="pip install -U triton")
    if why_no_gpu:
        return Finding(name=NAME, state="limited", why=f"{why_no_gpu}: it starts on a GPU only", version=version)
    return Finding(name=NAME, state="works", why="part of triton", version=version)
