"""Compiled kernels are kept by content: the same source, includes, options, architecture and compiler give one entry.

An entry is a file of three parts: a checksum of the rest, what is in the binary as JSON, the binary.
"""

import contextlib
import hashlib
import json
import os
from pathlib import Path

from perfproof.core.atomic import write_atomic
from perfproof.cuda import headers
from perfproof.cuda.bindings import nvrtc_version
from perfproof.cuda.compiling import Build, Image, compile_build
from perfproof.cuda.errors import CudaError
from perfproof.cuda.resources import Resources
from perfproof.pairs.kernels import with_includes

FORMAT = "1"


def cache_folder() -> Path:
    if own := os.environ.get("PERFPROOF_CACHE"):
        return Path(own) / "cubin"
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "perfproof" / "cubin"
    return Path.home() / ".cache" / "perfproof" / "cubin"


def compiled(build: Build) -> Image:
    """From the cache where a whole entry is there, else from the compiler; a folder that is read-only does no harm."""
    entry = cache_folder() / f"{key(build)}.cubin"
    image = _read(entry)
    if image is None:
        image = compile_build(build)
        with contextlib.suppress(OSError):
            entry.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(entry, _entry(image))
    return image


def key(build: Build) -> str:
    whole = hashlib.sha256()
    for text in (FORMAT, nvrtc_version(), *build.arguments, "", *build.expressions, "", str(build.path), _headers()):
        whole.update(text.encode() + b"\0")
    try:
        for file in with_includes(build.path, build.own_folders):
            whole.update(f"{file}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\0".encode())
    except OSError as error:
        raise CudaError(f"{error.filename} cannot be read: {error.strerror}") from None
    return whole.hexdigest()


def _headers() -> str:
    """CUDA's own headers are many: a new toolkit in the same place shows by the date of one."""
    marks = (folder / name for folder in headers.include_folders() for name in (headers.TOOLKIT, headers.LIBRARY))
    return " ".join(str(mark.stat().st_mtime_ns) for mark in marks if mark.is_file())


def _entry(image: Image) -> bytes:
    rest = json.dumps(image.contents()).encode() + b"\n" + image.cubin
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _read(entry: Path) -> Image | None:
    """None where there is no entry, or one that is not whole."""
    try:
        checksum, _, rest = entry.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(rest).hexdigest().encode() != checksum:
        return None
    contents, _, cubin = rest.partition(b"\n")
    known = json.loads(contents)
    return Image(cubin, {name: Resources(**taken) for name, taken in known["kernels"].items()}, known["lowered"])
