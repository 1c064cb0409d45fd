"""A compiler's log as one line: the first error with its file and line, what to do if we know, and how many more."""

import re
from pathlib import Path

from perfproof.cuda.headers import remedy
from perfproof.pairs.source import shown

_ERROR = re.compile(
    r"^(?P<file>.+?)\((?P<line>\d+)\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<what>.*)$", re.MULTILINE
)
_ASSEMBLER = re.compile(r"^ptxas\b.*?(?:error|fatal)\s*: (?P<what>.*)$", re.MULTILINE)
_OPTION = re.compile(r"^nvrtc: error: (?P<what>.*)$", re.MULTILINE)
_HEADER = re.compile(r'cannot open source file "(?P<name>[^"]+)"')
_KERNEL = re.compile(r"__global__\s(?P<between>[^;{}]*?)\b(?P<name>[A-Za-z_]\w*)\s*\((?!\s*\d+\s*[,)])")


def first_error(log: str, path: Path, expressions: tuple[str, ...] = ()) -> str:
    """Empty where the log has none that we know."""
    errors = list(_ERROR.finditer(log))
    if errors:
        return _of_compiler(errors, path, expressions)
    for pattern, who in ((_ASSEMBLER, "ptxas: "), (_OPTION, "")):
        if found := list(pattern.finditer(log)):
            return f"{shown(path)}: {who}{_one_line(found[0]['what'])}{_more(len(found) - 1)}"
    return ""


def kernels_named_in(text: str) -> tuple[str, ...]:
    """The kernels that a source declares, templates too: for a message, so a rough look is enough."""
    bare = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    bare = re.sub(r"__(?:launch_bounds|cluster_dims|maxnreg)__\s*\([^)]*\)", " ", bare)
    return tuple(dict.fromkeys(match["name"] for match in _KERNEL.finditer(bare)))


def _of_compiler(errors: list[re.Match[str]], path: Path, expressions: tuple[str, ...]) -> str:
    first = errors[0]
    what = _one_line(first["what"])
    if missing := _HEADER.search(what):
        what = f"there is no {missing['name']}; {remedy(missing['name'])}"
    where = f"{shown(Path(first['file']))}:{first['line']}"
    if not Path(first["file"]).is_file():  # an instance of a template is asked for in a file of NVRTC's own
        where = shown(path)
        what = f"{what}, in {', '.join(repr(text) for text in expressions)}"
    return f"{where}: {what}{_more(len(errors) - 1)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _more(count: int) -> str:
    return f" (and {count} more error{'s' if count > 1 else ''})" if count else ""
