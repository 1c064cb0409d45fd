"""Compare two functions of a Python program: what `perfproof.compare` does, without what it shows."""

import secrets
import sys
from collections.abc import Iterator
from dataclasses import asdict
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
) -> tuple[TargetResult, Path | None]:
    """The result, and the folder that it is saved in. Ctrl-C is raised again when what there is has been saved."""
    if not save:
        (done,) = run_functions(asked, options, facts, secrets.token_hex(16), news.notify)
        return done.result, None
    session = Session(options, facts, news)

    def results(seed: str, watch: Watch) -> Iterator[Any]:
        return run_functions(asked, options, facts, seed, news.notify, watch.mark)

    stored = {**asdict(options), "functions": {"labels": list(asked.labels), "arguments": list(asked.arguments)}}
    measured = session.measure([asked.name], SLUG, stored, results, take=_by_this_program)
    if measured.stopped:
        raise KeyboardInterrupt
    return measured.run.targets[0], measured.folder.path


def _by_this_program(run: Run, folder: RunFolder) -> None:
    """The command of the run is that of the script; a notebook and a console have none that could be repeated."""
    script = sys.argv[0] if sys.argv else ""
    run.command = ["python", *sys.argv] if script.endswith(".py") and Path(script).is_file() else []
    folder.save(run)
