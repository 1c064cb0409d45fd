"""Call a target's sides under compute-sanitizer: memcheck for wrong addresses, racecheck for races in shared memory.

A tool that is missing, denied, or saw no kernel gives not-run with the reason. One that counts an error fails the
target: what it would have measured is not worth having.
"""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal, get_args

from perfproof.bench.job import Job
from perfproof.core.child import Answer, ask
from perfproof.core.documents import Check, Sanitized, TargetResult
from perfproof.profile.sanitizer_log import read_log
from perfproof.stats.quads import BASELINE

NAME = "compute-sanitizer"
INSTALL = "install the CUDA toolkit, or conda install -c nvidia cuda-sanitizer-api"
Tool = Literal["memcheck", "racecheck"]
TOOLS: tuple[Tool, ...] = get_args(Tool)
OPTIONS = {
    # Calls that libraries make to find out what a driver can do fail on purpose; only kernels are looked at.
    "memcheck": ["--report-api-errors", "no"],
    "racecheck": [],
}
COMMON = ["--launch-timeout", "0", "--print-limit", "100"]  # importing torch takes seconds; our own deadline holds
WITHOUT_CACHING = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}


def sanitize(job: Job, environment: dict[str, str]) -> list[Sanitized]:
    """Every tool on all sides at smoke sizes, or at those that are timed if there are no others."""
    program = shutil.which(NAME)
    if program is None:
        return not_sanitized(f"{NAME} is not on the PATH: {INSTALL}")
    if job.ranks > 1:
        return not_sanitized("the pair runs on several ranks")
    with tempfile.TemporaryDirectory(prefix="perfproof-sanitize-") as folder:
        asked = Path(folder) / "asked.json"
        asked.write_text(json.dumps(_asked(job, Path(folder) / "scratch")))
        return [_run(tool, program, asked, job, environment) for tool in TOOLS]


def not_sanitized(why: str) -> list[Sanitized]:
    return [Sanitized(tool=tool, result="not-run", detail=why) for tool in TOOLS]


def with_sanitizers(result: TargetResult, found: list[Sanitized]) -> TargetResult:
    """The result with a check for each tool; one that failed takes the verdict away."""
    checks = [Check(name=one.tool, result=one.result, detail=one.detail) for one in found]
    updated = result.model_copy(update={"sanitizers": found, "checks": [*result.checks, *checks]})
    failed = next((one for one in found if one.result == "fail"), None)
    if failed is None or result.status not in ("ok", "skipped"):
        return updated
    reason = f"{failed.tool}: {failed.detail}"
    return updated.model_copy(
        update={"status": "failed-verification", "reason": reason, "verdict": None, "ratios": {}, "also": {}}
    )


def _asked(job: Job, scratch: Path) -> dict[str, Any]:
    scratch.mkdir()
    opened = {
        "spec": job.spec,
        "sides": [BASELINE, *job.variants],
        "cpus": list(job.cpus),
        "threads": job.threads,
        "scratch": str(scratch),
    }
    return {"open": opened, "sizes": job.smoke or job.sizes, "seed": job.rng("sanitize").getrandbits(62)}


def _run(tool: Tool, program: str, asked: Path, job: Job, environment: dict[str, str]) -> Sanitized:
    began = time.monotonic()
    command = [program, "--tool", tool, *OPTIONS[tool], *COMMON]
    called = [sys.executable, "-m", "perfproof.worker.sanitized_calls", str(asked)]
    answer = ask([*command, *called], max(1.0, job.deadline - began), environment | WITHOUT_CACHING)
    return _judge(tool, answer).model_copy(update={"seconds": round(time.monotonic() - began, 3)})


def _judge(tool: Tool, answer: Answer) -> Sanitized:
    """By the tool's summary. A program that failed without an error of the tool's was not checked to its end."""
    if answer.why:
        return Sanitized(tool=tool, result="not-run", detail=f"{answer.why}; --timeout gives it longer")
    log = read_log(answer.text)
    found = {"tool": tool, "summary": log.summary, "errors": log.errors, "reports": list(log.reports)}
    if log.errors is None:
        return Sanitized(**found, result="not-run", detail=log.problem)
    first = f": {log.reports[0]}" if log.reports else ""
    if log.errors:
        return Sanitized(**found, result="fail", detail=f"{log.summary}{first}")
    if not answer.ok:
        return Sanitized(**found, result="not-run", detail=f"the program ended with {answer.code}: {answer.last_line}")
    return Sanitized(**found, result="pass", detail=f"{log.summary}{first}")
