"""A run as a table for people: verdicts first, at most as wide as asked, the next command last."""

import os
import textwrap
from collections.abc import Sequence

from perfproof.core import units
from perfproof.core.documents import Run, TargetResult
from perfproof.core.warnings import CODES
from perfproof.report.next_step import next_command
from perfproof.report.plain_words import heads, sentence
from perfproof.report.rows import Row, folder_of, machine_warnings, one_line, rows_of

WIDTH = 100
CHANCE_ROWS = 10  # from this many judged rows on, say how many are wrong by chance
NAMED_TARGETS = 3  # a warning on more targets than this is one line
WORDS = 2  # columns of a table that hold words: verdict and ratio
LEAST_NAME = 24  # room for names of targets: a verdict that would leave less has what did not run below it
STYLES = {
    "faster": "green",
    "better": "green",
    "slower": "red",
    "worse": "red",
    "same": "cyan",
    "inconclusive": "yellow",
    "unstable": "yellow",
    "indicative": "yellow",
    "skipped": "dim",
}


def render(run: Run, width: int = WIDTH, colour: bool = False, details: bool = False) -> str:
    lines: list[tuple[str, str]] = [("", line) for line in _heading(run, width)]  # (word to colour, line)
    lines += [("", line) for line in _sentences(run, width)]
    lines += _results(rows_of(run), heads(run.targets), width)
    blocks = [_details(run, width) if details else [], _warnings(run, width), _footer(run, width)]
    for block in blocks:
        lines += [("", line) for line in ["", *block] if block]
    return _coloured(lines) if colour else "\n".join(line.rstrip() for _, line in lines) + "\n"


def wants_colour(stream: object) -> bool:
    """Colour on a terminal, unless NO_COLOR is set (no-color.org)."""
    return bool(getattr(stream, "isatty", lambda: False)()) and not os.environ.get("NO_COLOR")


def _heading(run: Run, width: int) -> list[str]:
    kind, effort = run.machine.get("kind", "unknown machine"), run.options.get("effort", "standard")
    fast = ", smoke sizes" if run.options.get("fast") else ""
    levels = sorted({judged.level for target in run.targets for judged in target.ratios.values()})
    level = " to ".join(f"{100 * one:.3g}" for one in dict.fromkeys([*levels[:1], *levels[-1:]])) or "97"
    lines = _wrapped(
        f"{kind}, {effort} effort{fast}; ratio is {' over '.join(heads(run.targets))}, with its {level} % interval",
        width,
    )
    if run.state != "finished":
        state = "interrupted" if run.state == "interrupted" else "not finished"
        lines.append(f"{state}: {len(run.targets)} of {len(run.planned)} targets done")
    return [*lines, ""]


def _sentences(run: Run, width: int) -> list[str]:
    """What was found about sides that have labels, in the words of those."""
    said = [sentence(target) for target in run.targets if target.labels and target.ratios and target.status == "ok"]
    lines = [line for text in said for line in _wrapped(text, width)]
    return [*lines, ""] if lines else []


def _results(rows: Sequence[Row], sides: tuple[str, str], width: int) -> list[tuple[str, str]]:
    if not rows:
        return [("", "no target has finished")]
    titles = ("verdict", "ratio", *sides, "target")
    cells = [(row.said, row.ratio, row.baseline, row.measured, row.label) for row in rows]
    widths = _widths([titles, *cells])
    below = sum(widths) + 2 * len(widths) > width - LEAST_NAME
    if below:
        cells = [(row.word, *cell[1:]) for row, cell in zip(rows, cells, strict=True)]
        widths = _widths([titles, *cells])
    lines = [("", line) for line in _columns(titles, widths, width)]
    for row, cell in zip(rows, cells, strict=True):
        first, *more = _columns(cell, widths, width)
        lines.append((row.word, first))
        lines += [("", line) for line in more]
        notes = [row.missing, *row.notes] if below and row.missing else row.notes
        lines += [("", line) for note in notes for line in _wrapped(one_line(note), width, indent="    ")]
    return lines


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """Of all columns but the last."""
    return [max(len(line[column]) for line in lines) for column in range(len(lines[0]) - 1)]


def _columns(cells: Sequence[str], widths: Sequence[int], width: int) -> list[str]:
    """One line, words to the left and figures to the right; the last cell goes on below if it must."""
    start = "  ".join(
        f"{cell:{'<' if at < WORDS else '>'}{size}}" for at, (cell, size) in enumerate(zip(cells, widths, strict=False))
    )
    room = max(12, width - len(start) - 2)
    pieces = textwrap.wrap(cells[-1], room, break_on_hyphens=False) or [""]
    return [f"{start}  {pieces[0]}", *(f"{'':{len(start)}}  {piece}" for piece in pieces[1:])]


def _details(run: Run, width: int) -> list[str]:
    """Memory, set-up before the calls and in the first one, and precision of every side; only what is known."""
    titles = ("memory", "set-up", "first call", "start-up", "energy", "error", "of tolerance", "side")
    cells = [titles]
    for target in run.targets:
        for name, side in target.variants.items():
            error = side.error
            cells.append(
                (
                    units.binary_bytes(side.memory.peak_bytes if side.memory else None),
                    units.seconds(side.setup_seconds),
                    units.seconds(side.first_call_seconds),
                    units.seconds(side.startup_seconds),
                    "–" if side.energy_joules is None else f"{side.energy_joules:.3g} J",
                    "–" if error is None else f"{error.rms_relative:.1e}",
                    "–" if error is None else f"{error.of_tolerance:.2g}",
                    f"{target.target} {name}"
                    + (f" (memory: largest of {target.ranks.count} ranks)" if target.ranks else ""),
                )
            )
    known = [at for at in range(len(titles)) if any(line[at] != "–" for line in cells[1:])]
    lines = [[line[at] for at in known] for line in cells] if len(known) > 1 else []  # else nothing but names
    table = [line for cell in lines for line in _columns(cell, _widths(lines), width)]
    spent = [_wrapped(_where_time_went(target), width, hanging="    ") for target in run.targets if target.spent]
    return [*table, *([""] if table and spent else []), *(line for own in spent for line in own)]


def _where_time_went(target: TargetResult) -> str:
    parts = [f"{word} {units.seconds(seconds)}" for word, seconds in target.spent.items()]
    rest = f"the rest {units.seconds(target.seconds - sum(target.spent.values()))}"
    return f"{target.target} took {units.seconds(target.seconds)}: {', '.join([*parts, rest])}"


def _warnings(run: Run, width: int) -> list[str]:
    """Each code once with its targets; a code on many targets is one line."""
    found: dict[str, list[tuple[str, str]]] = {}
    for warning in machine_warnings(run):
        found.setdefault(warning["code"], []).append(("", warning["text"]))
    for target in run.targets:
        for said in target.warnings:
            found.setdefault(said.code, []).append((target.target, said.text))
    lines = []
    for code, entries in sorted(found.items()):
        texts = [f"{code} {name + ': ' if name else ''}{one_line(text)}" for name, text in entries]
        if len(entries) > NAMED_TARGETS:
            title = CODES[code].title if code in CODES else "a warning"
            texts = [f"{code} {title}: {len(entries)} targets: {', '.join(name for name, _ in entries)}"]
        lines += [line for text in texts for line in _wrapped(text, width, hanging="     ")]
    return lines


def _footer(run: Run, width: int) -> list[str]:
    judged = sum(1 for row in rows_of(run) if "[" in row.ratio)
    lines = [f"saved in {folder_of(run)}"]
    if judged >= CHANCE_ROWS:
        lines.append(f"about {0.03 * judged:.1f} of {judged} rows wrong by chance (.03 each)")
    return [*lines, f"next: {next_command(run)}"]


def _wrapped(text: str, width: int, indent: str = "", hanging: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + hanging, break_on_hyphens=False
    ) or [""]


def _coloured(lines: Sequence[tuple[str, str]]) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", no_color=False, highlight=False)
    for word, line in lines:
        text = Text(line.rstrip())
        if word:
            text.stylize(STYLES.get(word, "bold red"), 0, len(word))
        console.print(text, soft_wrap=True)
    return out.getvalue()
