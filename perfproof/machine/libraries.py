"""Versions of the libraries a GPU program runs on, from package metadata and file names: nothing is loaded."""

import importlib.metadata
import importlib.util
import re
from pathlib import Path

LIBRARIES = ("nccl", "cudnn", "cublas", "cuda-nvrtc", "cuda-cupti", "cuda-runtime", "nvshmem", "cusparselt")
BUNDLED = {"nccl": "libnccl.so", "cudnn": "libcudnn.so", "cublas": "libcublas.so"}  # older builds of torch carry them


def versions() -> dict[str, str]:
    """Library -> version, or why it is not known: {"nccl": "2.27.7 (nvidia-nccl-cu13)"}."""
    packages = _nvidia_packages()
    return {name: packages.get(name) or _bundled(name) or "absent: no package brings it" for name in LIBRARIES}


def parse_package(name: str) -> str | None:
    """The library that a package of NVIDIA's brings: nvidia-nccl-cu13 and nvidia-cuda-nvrtc are nccl and cuda-nvrtc."""
    match = re.fullmatch(r"nvidia-([a-z-]+?)(?:-cu[0-9]{2})?", re.sub(r"[-_.]+", "-", name.lower()))
    return match[1] if match and match[1] in LIBRARIES else None


def parse_file(name: str, stem: str) -> str | None:
    """The version in a library's file name: libcudnn.so.9 says 9, libnccl.so.2.21.5 says all of it."""
    match = re.fullmatch(rf"{re.escape(stem)}\.([0-9]+(?:\.[0-9]+){{0,3}})", name)
    return match[1] if match else None


def _nvidia_packages() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in importlib.metadata.distributions():
        name = package.metadata["Name"] or ""
        library = parse_package(name)
        if library:
            found.setdefault(
                library, f"{package.version} ({name})"
            )  # the first on the path is the one that is imported
    return found


def _bundled(library: str) -> str | None:
    """What the installed torch carries in its own folder."""
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return None
    stem = BUNDLED.get(library)
    for folder in (spec.submodule_search_locations or []) if spec and stem else []:
        names = sorted(path.name for path in Path(folder, "lib").glob(f"{stem}*"))
        for version in (parse_file(name, str(stem)) for name in names):
            if version:
                return f"{version} (a file of torch)"
    return None
