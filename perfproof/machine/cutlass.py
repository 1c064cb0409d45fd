"""Where CUTLASS is: its Python packages, and its headers in the usual places and inside packages that carry a copy."""

import importlib.util
import os
import re
from pathlib import Path

from perfproof.machine import kernel_files, software

PACKAGES = ("nvidia-cutlass", "nvidia-cutlass-dsl")
VARIABLES = ("CUTLASS_PATH", "CUTLASS_DIR", "CUTLASS_ROOT")
FOLDERS = ("/usr/local/cutlass", "/opt/cutlass", "/usr/local", "/usr")
CARRIERS = {  # import name -> where in it a copy lies
    "cutlass_library": "source",
    "flashinfer": "data/cutlass",
    "deep_gemm": "",
    "flash_attn_3": "csrc/cutlass",
}


def find() -> dict[str, str]:
    """What was found, by where: {"nvidia-cutlass-dsl": "4.2.1", "headers in flashinfer": "4.1.0"}. No path is given."""
    found = {name: version for name in PACKAGES if (version := software.version_of(name))}
    for where, folder in [*_named(), *_usual(), *_carried()]:
        header = _header(folder)
        if header is not None:
            found[f"headers in {where}"] = parse_version(header)
    return found


def parse_version(header: str) -> str:
    """From version.h: #define CUTLASS_MAJOR 4, CUTLASS_MINOR, CUTLASS_PATCH."""
    parts = [
        re.search(rf"^\s*#\s*define\s+CUTLASS_{name}\s+([0-9]{{1,4}})\s*$", header, re.MULTILINE)
        for name in ("MAJOR", "MINOR", "PATCH")
    ]
    if not all(parts):
        return kernel_files.strange("cutlass/version.h")
    return ".".join(part[1] for part in parts if part)


def _named() -> list[tuple[str, Path]]:
    return [(name, Path(os.environ[name])) for name in VARIABLES if os.environ.get(name)]


def _usual() -> list[tuple[str, Path]]:
    return [(folder, kernel_files.ROOT / folder.lstrip("/")) for folder in FOLDERS]


def _carried() -> list[tuple[str, Path]]:
    found = []
    for name, inside in CARRIERS.items():
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            continue
        found += [(name, Path(folder, inside)) for folder in (spec.submodule_search_locations or [] if spec else [])]
    return found


def _header(folder: Path) -> str | None:
    try:
        return (folder / "include/cutlass/version.h").read_text(errors="replace")
    except OSError:
        return None
