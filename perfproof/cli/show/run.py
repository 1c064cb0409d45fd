"""Print a run in the format that was asked for: the only place where results meet standard output."""

import importlib
import io
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from perfproof.cli.output import further_files, screen_beside_file, write_further
from perfproof.cli.width import text_width
from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import UsageError
from perfproof.history.folders import document_text
from perfproof.report import formats


@dataclass(frozen=True)
class Show:
    """How a person wants to see a run."""

    format: str = "table"
    json: bool = False
    details: bool = False
    notes: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        known = format_names()
        if self.format not in known:
            raise UsageError(f"--format {self.format!r} is unknown: choose {', '.join(known)}")
        if self.quiet and (self.details or self.notes):
            more = "--details" if self.details else "--notes"
            raise UsageError(f"--quiet and {more} exclude each other: leave one out")


def format_names() -> list[str]:
    return sorted(path.stem for folder in formats.__path__ for path in Path(folder).glob("[a-z]*.py"))


def print_made(run: Run, show: Show) -> None:
    """A run that was just measured: if -o puts it into a file, a log still says how it ended."""
    if (screen := screen_beside_file()) is not None:
        with redirect_stdout(screen):
            print_run(run, replace(show, format="table", json=False))
    for file, name in further_files():
        is_json = name == "json"
        with redirect_stdout(io.StringIO()) as text:
            print_run(run, replace(show, format="table" if is_json else name, json=is_json))
        write_further(file, text.getvalue())
    print_run(run, show)


def print_run(run: Run, show: Show) -> None:
    sys.stdout.write(document_text(run) if show.json else _rendered(run, show))
    sys.stdout.flush()


def _rendered(run: Run, show: Show) -> str:
    module = importlib.import_module(f"{formats.__name__}.{show.format}")
    if show.format != "table":
        return module.render(run)
    colour, width = module.wants_colour(sys.stdout), text_width()
    if show.quiet:
        return module.render_quiet(run, colour=colour)
    page = module.render(run, width=width, colour=colour, details=show.details, notes=show.notes)
    return "".join(_profile_line(run, one) for one in run.targets if one.profile) + page


def _profile_line(run: Run, target: TargetResult) -> str:
    """Where the profile of `run --profile` lies, as the command that reads it; or why there is none."""
    if (target.profile or "").startswith("unknown"):
        return f"{target.target}: not profiled: {(target.profile or '').removeprefix('unknown: ')}\n"
    return f"{target.target}: profiled; perfproof diagnose {run.options['artifacts_dir']}/{target.profile}\n"
