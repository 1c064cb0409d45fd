"""Print a run in the format that was asked for: the only place where results meet standard output."""

import importlib
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.documents import Run
from perfproof.core.errors import UsageError
from perfproof.history.folders import document_text
from perfproof.report import formats


@dataclass(frozen=True)
class Show:
    """How a person wants to see a run."""

    format: str = "table"
    json: bool = False
    details: bool = False

    def __post_init__(self) -> None:
        known = format_names()
        if self.format not in known:
            raise UsageError(f"--format {self.format!r} is unknown: choose {', '.join(known)}")


def format_names() -> list[str]:
    return sorted(path.stem for folder in formats.__path__ for path in Path(folder).glob("[a-z]*.py"))


def print_run(run: Run, show: Show) -> None:
    sys.stdout.write(document_text(run) if show.json else _rendered(run, show))
    sys.stdout.flush()


def _rendered(run: Run, show: Show) -> str:
    module = importlib.import_module(f"{formats.__name__}.{show.format}")
    if show.format != "table":
        return module.render(run)
    colour = module.wants_colour(sys.stdout)
    width = min(module.WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else module.WIDTH
    return module.render(run, width=max(80, width), colour=colour, details=show.details)
