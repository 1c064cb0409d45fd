"""An exception as the author of a pair should see it: the message and the line of their own code, not our frames."""

import inspect
import os
import traceback
from pathlib import Path
from typing import Any

from perfproof.worker.libraries import is_installed

NO_ROOM = "; choose smaller sizes, or let `constants` make the arguments that stay the same"
HARNESS = str(Path(__file__).parents[1]) + os.sep
CATALOGUE = f"{HARNESS}catalogue{os.sep}"  # pairs that are installed with perfproof


def one_line(error: BaseException) -> str:
    """Type and message, with the last line of the pair's own code that was reached."""
    text = str(error).strip().splitlines()
    if type(error).__name__ == "OutOfMemoryError":  # torch's own text is a paragraph of advice about its allocator
        text = [". ".join(text[0].split(". ")[:2]) + NO_ROOM] if text else []
    line = f"{type(error).__name__}: {text[0] if text else ''}".strip().rstrip(":")
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_of_pair(frame.filename)]
    return f"{line} ({own[-1].filename}:{own[-1].lineno}, in {own[-1].name})" if own else line


def defined_at(function: Any) -> str:
    """Where a function of the pair is defined, to be put behind what is wrong with what it returns."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f" ({code.co_filename}:{code.co_firstlineno}, in {code.co_name})" if code else ""


def imported_from(function: Any) -> str:
    """Where a side is defined that the pair's file imports; empty for one of the file's own and for a library's."""
    inner = inspect.unwrap(function)
    code, module = getattr(inner, "__code__", None), str(getattr(inner, "__module__", ""))
    own = module.startswith(("_pair_", "__main__"))  # instances of the pair's file
    return "" if own or code is None or not _is_of_pair(code.co_filename) else defined_at(inner)


def told(error: BaseException) -> str:
    """The traceback without the harness, if the pair's own code is in it."""
    found = traceback.TracebackException.from_exception(error)
    one: traceback.TracebackException | None = found
    while one is not None:
        if any(_is_of_pair(frame.filename) for frame in one.stack):
            kept = [frame for frame in one.stack if not _is_harness(frame.filename)]
            one.stack = traceback.StackSummary.from_list(kept)
        one = one.__cause__ or one.__context__
    return "".join(found.format())


def _is_of_pair(file: str) -> bool:
    """A file of the user's, or a cell of a notebook: neither the harness nor a library."""
    return not (_is_harness(file) or is_installed(file) or file.startswith(("<frozen", "<string>", "<__array")))


def _is_harness(file: str) -> bool:
    return file.startswith(HARNESS) and not file.startswith(CATALOGUE)
