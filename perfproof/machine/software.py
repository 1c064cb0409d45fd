"""Versions of what a measurement runs on, from package metadata and file text: nothing heavy is imported."""

import ast
import importlib.util
import platform
import re
from importlib.machinery import PathFinder
from pathlib import Path

PACKAGES = ("torch", "triton", "numpy", "scipy", "cuda-core", "nvidia-ml-py")


def versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"python": platform.python_version()}
    found |= {package: version_of(package) for package in PACKAGES}
    found["torch_cuda"] = torch_build().get("cuda")
    return found


def version_of(package: str) -> str | None:
    from importlib import metadata  # 30 ms, which `list` does not need

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def has_package(name: str) -> bool:
    """Is this import name installed? Found on the path, never imported: `torch.x` must not load torch to be asked."""
    parts = name.split(".")
    try:
        spec = importlib.util.find_spec(parts[0])
        for depth in range(2, len(parts) + 1):
            if spec is None or spec.submodule_search_locations is None:
                return False
            spec = PathFinder.find_spec(".".join(parts[:depth]), list(spec.submodule_search_locations))
    except (ImportError, ValueError):
        return False
    return spec is not None


def torch_build() -> dict[str, str | None]:
    """What the installed torch was built for, from the text of its version.py: {"cuda": "13.0", "hip": None}.

    Empty without torch or without that file.
    """
    try:
        spec = importlib.util.find_spec("torch")
        folders = list(spec.submodule_search_locations or []) if spec else []
        text = (Path(folders[0]) / "version.py").read_text()
    except (ImportError, ValueError, IndexError, OSError):
        return {}
    return {name: _assigned(text, name) for name in ("cuda", "hip")}


def _assigned(text: str, name: str) -> str | None:
    match = re.search(rf"^{name}(?::[^=\n]+)?\s*=\s*(.+)$", text, re.MULTILINE)
    try:
        value = ast.literal_eval(match.group(1)) if match else None
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, str) else None
