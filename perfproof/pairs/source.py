"""Read a pair's file as text and syntax tree; whatever is wrong with the file itself becomes one line.

Nothing of the file is run.
"""

import ast
import hashlib
import io
import os
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from perfproof.core.errors import ContractError

MOST_BYTES = 256 * 1024  # a pair has about 80 lines; a parser fed with megabytes takes gigabytes


@dataclass(frozen=True)
class Source:
    path: Path  # absolute
    text: str
    tree: ast.Module
    sha256: str
    code_sha256: str  # of all but its opening words: a lesson may be told anew, and its results stay

    def refusal(self, what: str, line: int | None = None) -> ContractError:
        """The error to raise: file, line where there is one, what is wrong and what to write."""
        return refusal(self.path, what, line)


def read_source(path: Path) -> Source:
    path = Path(os.path.abspath(path))
    data = _read_bytes(path)
    text = _decode(path, data)
    tree = _parse(path, data)
    return Source(path, text, tree, hashlib.sha256(data).hexdigest(), _code_sha256(text, tree))


@lru_cache(maxsize=8)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a file, in the order of `ast.walk`, which is slower. Several checks look at them."""
    found: list[ast.AST] = [tree]
    for node in found:  # it grows meanwhile
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return tuple(found)


def refusal(path: Path, what: str, line: int | None = None) -> ContractError:
    where = shown(path)
    return ContractError(f"{where}:{line}" if line else where, what)


def is_text(text: str) -> bool:
    """Half of a surrogate pair, as in "\\ud800", can be neither printed nor saved."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def shown(path: Path) -> str:
    """A path as a person reads it: from the current folder where it is inside, on one line, printable."""
    try:
        text = str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        text = str(path)
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _code_sha256(text: str, tree: ast.Module) -> str:
    lines = list(io.StringIO(text, newline=None))  # as the parser counts them
    if ast.get_docstring(tree, clean=False) is not None:
        opening, *rest = tree.body
        if not rest or rest[0].lineno != opening.end_lineno:
            del lines[opening.lineno - 1 : opening.end_lineno]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _read_bytes(path: Path) -> bytes:
    try:
        if not os.path.isfile(path):  # a folder, or a device that never ends
            raise refusal(path, "is not a file; name a Python file")
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise refusal(path, f"cannot be read: {error.strerror}; check the file and its permissions") from None
    if len(data) > MOST_BYTES:
        raise refusal(path, f"is larger than {MOST_BYTES // 1024} KiB; a pair is one small file: move data out of it")
    return data


def _decode(path: Path, data: bytes) -> str:
    if b"\0" in data:
        raise refusal(path, "has null bytes; a pair is Python source as UTF-8 text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refusal(path, "is not UTF-8 text; save it as UTF-8", line) from None


def _parse(path: Path, data: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in a docstring is not our business
            return ast.parse(data)
    except SyntaxError as error:
        what = " ".join((error.msg or "invalid syntax").split())
        raise refusal(path, f"not Python: {what}; correct the line", error.lineno) from None
    except (RecursionError, MemoryError, ValueError):
        raise refusal(path, "is damaged or nested too deeply to be read; write it plainly") from None
