"""The .cu file beside a pair that imports `perfproof.cuda`, and what it includes: part of what is measured."""

import ast
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from perfproof.pairs.source import Source, nodes

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\r\n]+)[">]', re.MULTILINE)


def kernel_files(source: Source) -> tuple[Path, ...]:
    """The pair's .cu and its local includes; empty for a pair without kernels, refused if the .cu is missing."""
    line = _imports_cuda(source.tree)
    if line is None:
        return ()
    path = source.path.with_suffix(".cu")
    if not path.is_file():
        what = f"imports perfproof.cuda, but there is no {path.name} beside it"
        raise source.refusal(f"{what}; write the kernels there, or remove the import", line)
    return with_includes(path)


def with_includes(path: Path, folders: Iterable[Path] = ()) -> tuple[Path, ...]:
    """A source and every file it includes from its own folder or from `folders`, each once, itself first."""
    found: dict[Path, None] = {path: None}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        for quote, name in _INCLUDE.findall(file.read_bytes()):
            near = [file.parent] if quote == b'"' else []
            places = [folder / name.decode(errors="replace") for folder in (*near, path.parent, *folders)]
            included = next((place for place in places if place.is_file()), None)
            if included is not None and included not in found:
                found[included] = None
                waiting.append(included)
    return tuple(found)


def whole_sha256(sha256: str, files: Iterable[Path]) -> str:
    """Of the pair's file, which is given, and its kernels; the file's alone where it has none."""
    files = list(files)
    if not files:
        return sha256
    whole = hashlib.sha256(sha256.encode())
    for file in files:
        whole.update(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}".encode())
    return whole.hexdigest()


def _imports_cuda(tree: ast.Module) -> int | None:
    """The line of the import, wherever it stands."""
    for node in nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            if any(f"{module}{alias.name}".split(".")[:2] == ["perfproof", "cuda"] for alias in node.names):
                return node.lineno
    return None
