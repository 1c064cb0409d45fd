"""Compare two functions of a Python program: what `perfproof.compare` does, without what it shows."""

import secrets
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from perfproof.app.news import News
from perfproof.app.session import Session
from perfproof.app.telemetry import Watch
from perfproof.bench.forms.two_functions import Functions, run_functions
from perfproof.core.documents import Run, TargetResult
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.history.folders import RunFolder

SLUG = "compare"


def measure_functions(
    asked: Functions, options: RunOptions, facts: Facts, news: News, *, save: bool
) -> tuple[TargetResult, Run | None, Path | None]:
    """The result, and the run and folder it is saved in. Ctrl-C is raised again when what there is has been saved."""
    asked = replace(asked, file=_file_name(asked.f))
    if not save:
        (done,) = run_functions(asked, options, facts, options.seed or secrets.token_hex(16), news.notify)
        return done.result, None, None
    session = Session(options, facts, news)

    def results(seed: str, watch: Watch) -> Iterator[Any]:
        return run_functions(asked, options, facts, seed, news.notify, watch.mark)

    stored = {**asdict(options), "functions": {"labels": list(asked.labels), "arguments": list(asked.arguments)}}
    measured = session.measure([asked.name], SLUG, stored, results, take=_by_this_program)
    if measured.stopped:
        raise KeyboardInterrupt
    return measured.run.targets[0], measured.run, measured.folder.path


def _file_name(f: Callable[..., Any]) -> str:
    """The script; the function's file if a program such as pytest runs it; empty in a notebook or a console."""
    script = Path(sys.argv[0] if sys.argv else "")
    if script.name == "__main__.py" or not _is_script(script):
        script = Path(getattr(getattr(f, "__code__", None), "co_filename", ""))
    return script.name if _is_script(script) else ""


def _is_script(path: Path) -> bool:
    return path.suffix == ".py" and path.is_file()


def _by_this_program(run: Run, folder: RunFolder) -> None:
    """The command of the run is that of the script; a notebook and a console have none that could be repeated."""
    run.command = ["python", *sys.argv] if sys.argv and _is_script(Path(sys.argv[0])) else []
    folder.save(run)
