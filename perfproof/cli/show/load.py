"""Print a load test, and write its document and its page into its folder."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfproof.app.load.done import Done


def show_load(
    done: "Done",
    chosen: str,
    output: str | None,
    quiet: bool,
    judged: "Sequence[str]" = (),
    gate: tuple[str, str] | None = None,
) -> int:
    """In the chosen format; the exit code of the test. `judged` are the metrics that a gate goes by."""
    from perfproof.app.load.done import keep_result
    from perfproof.cli.output import written_to
    from perfproof.cli.width import text_width
    from perfproof.report.load.junit import render as junit
    from perfproof.report.load.text import headline_of
    from perfproof.report.load.text import render as text

    written = keep_result(done)
    shown = {
        "json": lambda: done.result.model_dump_json(indent=1) + "\n",
        "html": lambda: written,
        "junit": lambda: junit(done.result, judged, gate),
    }
    with written_to(output):
        if quiet and chosen == "table":
            print(headline_of(done.result))
        else:
            print(shown.get(chosen, lambda: text(done.result, text_width()))(), end="")
    if chosen == "table" and not quiet:
        print(f"\nsaved in {done.folder}\nnext: perfproof open {done.folder}")
    return done.exit_code


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
