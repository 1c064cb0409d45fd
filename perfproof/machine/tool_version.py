"""The version that a tool prints, whatever stands around it."""

import re
import shutil

from perfproof.core.child import ask

PATTERNS = (
    r"\bVersion ([0-9]{1,4}(?:\.[0-9]{1,6}){1,4})",  # ncu, compute-sanitizer: "Version 2025.3.1.0 (build 36398880)"
    r"\bversion ([0-9]{1,4}(?:\.[0-9]{1,6}){1,4})",  # nsys: "NVIDIA Nsight Systems version 2025.3.2.474-253236389321v0"
    r"\bV([0-9]{1,3}(?:\.[0-9]{1,6}){1,3})",  # nvcc: "release 13.0, V13.0.88"
    r"^[a-z-]+ ([0-9]{1,4}(?:\.[0-9]{1,6}){1,4})\s*$",  # py-spy 0.4.1
)
UNKNOWN = "unknown: the tool's version is in a form that is not known"


def find(name: str) -> str | None:
    """Where a program lies, by PATH."""
    return shutil.which(name)


def version_of(program: str) -> str:
    answer = ask([program, "--version"])
    if answer.why:
        return f"unknown: {answer.why}"
    return parse(answer.text) if answer.ok else f"unknown: --version ends with {answer.code}"


def parse(text: str) -> str:
    for pattern in PATTERNS:
        match = re.search(pattern, text, re.MULTILINE)
        if match:
            return match[1]
    return UNKNOWN
