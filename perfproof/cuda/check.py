"""Does a pair's .cu compile for the GPUs that its `needs` admit? Answered without a GPU.

The options and the instances of templates are those that the pair's own file names; they are read from its syntax tree.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.cuda.architectures import admitted, parse
from perfproof.cuda.cache import compiled
from perfproof.cuda.compiling import Build, plain_defines
from perfproof.cuda.errors import CudaError
from perfproof.cuda.resources import Resources
from perfproof.pairs.bindings import Bindings, read_bindings
from perfproof.pairs.literals import NotPlain, evaluate


@dataclass(frozen=True)
class Compiled:
    path: Path
    architecture: str
    kernels: dict[str, Resources]  # by signature: "scale(float const*, float*, float, int)"


@dataclass(frozen=True)
class Problem:
    path: Path
    architecture: str
    reason: str  # one line


def check(path: Path, needs: dict[str, Any]) -> list[Compiled | Problem]:
    """Compile a .cu (or the one beside a pair's .py) for every architecture that `needs` admits."""
    source = path.with_suffix(".cu")
    try:
        builds = list(_builds(source, needs))
    except CudaError as error:
        return [Problem(source, "", str(error))]
    return [_compile(build) for build in builds]


def in_words(results: list[Compiled | Problem]) -> str:
    """`its source compiles for sm_90a and sm_100a`, or the first problem."""
    for result in results:
        if isinstance(result, Problem):
            return f"its source does not compile: {result.reason}"
    return f"its source compiles for {' and '.join(result.architecture for result in results)}"


def _compile(build: Build) -> Compiled | Problem:
    try:
        image = compiled(build)
    except CudaError as error:
        return Problem(build.path, build.architecture, str(error))
    if not image.kernels:
        return Problem(build.path, build.architecture, f"{build.path.name} has no kernel that is compiled")
    signatures = image.signatures()
    kernels = {str(signatures[name]): taken for name, taken in image.kernels.items()}
    return Compiled(build.path, build.architecture, kernels)


def _builds(source: Path, needs: dict[str, Any]) -> Iterator[Build]:
    for stated, expressions in _uses(source.with_suffix(".py")):
        defines, options = plain_defines(stated.get("defines") or {}), tuple(stated.get("options") or ())
        wanted = (parse(stated["arch"]),) if stated.get("arch") else admitted(needs)
        yield from (Build(source, architecture, defines, options, expressions) for architecture in wanted)


def _uses(pair: Path) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """Each `kernels = cuda.source(...)` of the pair: its options, and the instances of templates taken from it."""
    if not pair.is_file():
        return [({}, ())]
    tree = ast.parse(pair.read_bytes())
    bindings = read_bindings(tree)
    found = []
    for name, bound in bindings.items():
        match bound[0].node:
            case ast.Call(func=ast.Attribute(attr="source") | ast.Name("source")) as call:
                found.append((_options(pair, call, bound[0].order, bindings), _instances(tree, name)))
    return found or [({}, ())]


def _options(pair: Path, call: ast.Call, order: int, bindings: Bindings) -> dict[str, Any]:
    try:
        return {str(word.arg): evaluate(word.value, order, bindings) for word in call.keywords}
    except NotPlain as error:
        what = f"{pair.name}:{error.line}: an option of cuda.source {error.why}"
        raise CudaError(f"{what}; write the value itself, or it cannot be checked") from None


def _instances(tree: ast.Module, name: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(base), slice=ast.Constant(value=str(text))) if base == name:
                if "<" in text:
                    found[text] = None
    return tuple(found)
