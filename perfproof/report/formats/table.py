"""A run as text for people: a sentence for each result, the table, what matters below its rows, the next step last."""

import os
import re
from collections.abc import Mapping, Sequence

from perfproof.core import units
from perfproof.core.documents import Run, TargetResult
from perfproof.report.gate import gates
from perfproof.report.heading import heading
from perfproof.report.kernel_lines import resource_lines, sanitizer_lines
from perfproof.report.labels import common_labels, heads, label_of, under_heads
from perfproof.report.next_step import next_command, notes_command, same_inputs, without_the_wrong_one
from perfproof.report.remarks import Remarks, common_codes, notes_of, remarks_of, warnings_for_all
from perfproof.report.rows import Row, folder_of, level_text, one_line, rows_of, target_rows
from perfproof.report.sentences import outcomes_of, sentences_of
from perfproof.report.text import beside, hung, in_words, widths_of, wrapped, wrapped_parts

WIDTH = 100
CHANCE_ROWS = 10  # from this many judged rows on, say how many are wrong by chance
LEAST_NAME = 24  # room for names of sides in the details
WORDS = 2  # columns of a table that hold words: verdict and ratio
GREEN, RED, YELLOW, CYAN, BOLD, DIM = "32", "31", "33", "36", "1", "2"
STYLES = {
    "faster": GREEN,
    "better": GREEN,
    "slower": RED,
    "worse": RED,
    "same": CYAN,
    "inconclusive": YELLOW,
    "unstable": YELLOW,
    "indicative": YELLOW,
    "skipped": DIM,
}
FAILED = "1;31"
GAINS = {"faster": GREEN, "better": GREEN, "less": GREEN, "slower": RED, "worse": RED, "more": RED, "difference": CYAN}
DECISIVE = re.compile(r"no (?:clear|difference|stable)|unclear|seems|\S+x (?:faster|slower|better|worse|less|more)\b")
CODE = re.compile(r"\bW\d{3}\b")
Line = tuple[str, dict[str, str]]  # the text, and which of its words have which style


def render(run: Run, width: int = WIDTH, colour: bool = False, details: bool = False, notes: bool = False) -> str:
    lines = [*_plain(wrapped_parts(heading(run), width), DIM), *_state(run), ("", {})]
    for said in sentences_of(run):
        lines += _sentence(said, width)
    if lines[-1][0]:
        lines.append(("", {}))
    lines += _results(run, width)
    if not lines[-1][0]:
        lines.pop()
    every = [line for note in notes_of(run) for line in wrapped(note, width, hanging="    ")]
    warned = [line for text in warnings_for_all(run) for line in wrapped(text, width, hanging="     ")]
    sanitized = [line for text in sanitizer_lines(run) for line in wrapped(text, width, hanging="    ")]
    for block in (sanitized, _details(run, width) if details else [], warned, every if notes else []):
        lines += _plain(["", *block] if block else [])
    shown = next((code for line, _ in lines for code in CODE.findall(line)), "")
    return text_of([*lines, ("", {}), *_footer(run, width, 0 if notes else len(notes_of(run)), shown)], colour)


def render_quiet(run: Run, colour: bool = False) -> str:
    """A sentence for each result and nothing else, a line each."""
    return text_of([(said, _sentence_styles(said)) for said in outcomes_of(run)], colour)


def wants_colour(stream: object) -> bool:
    """Colour on a terminal, unless NO_COLOR is set (no-color.org)."""
    return bool(getattr(stream, "isatty", lambda: False)()) and not os.environ.get("NO_COLOR")


def text_of(lines: Sequence[Line], colour: bool) -> str:
    return "".join(f"{_coloured(text.rstrip(), styles) if colour else text.rstrip()}\n" for text, styles in lines)


def _state(run: Run) -> list[Line]:
    if run.state == "finished":
        return []
    state = "interrupted" if run.state == "interrupted" else "not finished"
    return [(f"{state}: {len(run.targets)} of {len(run.planned)} targets done", {state: YELLOW})]


def _sentence(said: str, width: int) -> list[Line]:
    styles = _sentence_styles(said)
    return [(line, styles) for line in wrapped(said, width)]


def _sentence_styles(said: str) -> dict[str, str]:
    """The target, and the word that decides."""
    name, found = re.match(r"\S+(?=: )", said), DECISIVE.search(said)
    styles = {name.group(0): BOLD} if name else {}
    return styles | ({found.group(0): GAINS.get(found.group(0).split()[-1], YELLOW)} if found else {})


def _results(run: Run, width: int) -> list[Line]:
    if not run.targets:
        return [("no target has finished", {})]
    apart = common_codes(run)
    rows = [(row, remarks_of(run, target, row, apart)) for target in run.targets for row in target_rows(target)]
    if all(target.is_alone for target in run.targets):  # the sentences say it
        return [line for row, remarks in rows for line in _below(row, remarks, width, said="")]
    gate, sides = gates(run), heads(run.targets)
    if any(row.ratio for row, _ in rows):  # else there are no figures, and no columns for them
        if table := _table(run, rows, sides, sides, gate, width):
            return table
        both = common_labels(run.targets)
        if both and (table := _table(run, rows, ("a", "b"), both, gate, width)):
            return [*_plain(wrapped(f"a is {both[0]}, b is {both[1]}", width), DIM), *table]
    return [line for row, remarks in rows for line in _stacked(row, remarks, width, gate)]


def _table(
    run: Run,
    rows: Sequence[tuple[Row, Remarks]],
    sides: tuple[str, str],
    said: tuple[str, str],
    gate: Mapping[str, str],
    width: int,
) -> list[Line]:
    """Columns; none if they do not fit. What is `said` of the sides elsewhere is left out of the targets' names."""
    clocks = {judged.clock for target in run.targets for judged in target.ratios.values()}
    judged = "CPU time ratio" if clocks == {"cpu"} else "ratio"
    first = ("gate",) if gate else ()
    titles = (*first, "verdict", f"{judged} [{level_text(run)} % interval]", *sides, "target")
    figures = [(row.word, row.ratio, row.baseline, row.measured, under_heads(row.label, said)) for row, _ in rows]
    decided = [(gate[row.target],) if gate else () for row, _ in rows]
    cells = [(*word, *own) for word, own in zip(decided, figures, strict=True)]
    widths = widths_of([titles, *cells])[:-1]
    longest = max(len(word) for cell in cells for word in cell[-1].split())
    if sum(widths) + 2 * len(widths) + longest > width:
        return []
    words = WORDS + len(first)
    lines = _plain(_columns(titles, widths, width, words), DIM)
    for (row, remarks), cell in zip(rows, cells, strict=True):
        lines += [(line, _styles(row)) for line in _columns(cell, widths, width, words)]
        lines += _below(row, remarks, width, said=row.missing)
    return lines


def _stacked(row: Row, remarks: Remarks, width: int, gates: Mapping[str, str]) -> list[Line]:
    """For a narrow terminal: the target on a line of its own, its figures below it if there are any."""
    gate = f"gate: {gates[row.target]}" if gates else ""
    if not row.ratio:
        head = f"{row.label}: {row.said}{gate and f'  {gate}'}"
        return [*((line, _styles(row)) for line in wrapped(head, width)), *_below(row, remarks, width, said="")]
    figures = f"{row.baseline} → {row.measured}"
    cells = "  ".join(part for part in (row.word, row.ratio, figures, gate) if part)
    lines = [(line, _styles(row)) for line in wrapped(row.label, width)]
    lines += [(line, _styles(row)) for line in wrapped(cells, width, indent="  ")]
    return lines + _below(row, remarks, width, said=row.missing)


def _below(row: Row, remarks: Remarks, width: int, said: str) -> list[Line]:
    texts = [said, *remarks.shown] if said else remarks.shown
    return _plain([line for text in texts for line in wrapped(one_line(text), width, indent="    ")])


def _styles(row: Row) -> dict[str, str]:
    times = {cell: CYAN for cell in (row.baseline, row.measured) if cell and cell != "–"}
    return {row.word: STYLES.get(row.word, FAILED)} | times | {row.target: BOLD}


def _plain(lines: Sequence[str], style: str = "") -> list[Line]:
    """Lines of one style; codes of warnings stand out."""
    return [(line, {line: style} if style and line else dict.fromkeys(CODE.findall(line), YELLOW)) for line in lines]


def _columns(cells: Sequence[str], widths: Sequence[int], width: int, words: int = WORDS) -> list[str]:
    """One line, words to the left and figures to the right; the last cell goes on below if it must."""
    start = beside(cells[:-1], widths, right=range(words, len(widths)))
    return hung(start, cells[-1], width)


def _details(run: Run, width: int) -> list[str]:
    """Memory, set-up before the calls and in the first one, and precision of every side; only what is known."""
    titles = ("memory", "set-up", "in the first call", "start-up", "energy", "error", "of tolerance", "side")
    cells = [titles]
    for target in run.targets:
        for name, side in target.variants.items():
            error = side.error
            cells.append(
                (
                    units.binary_bytes(side.memory.peak_bytes if side.memory else None),
                    units.seconds(side.setup_seconds),
                    units.seconds(side.first_call_seconds or None),
                    units.seconds(side.startup_seconds),
                    "–" if side.energy_joules is None else f"{side.energy_joules:.3g} J",
                    "–" if error is None else f"{error.rms_relative:.1e}",
                    "–" if error is None else f"{error.of_tolerance:.2g}",
                    (label_of(target, name) if target.labels else f"{target.target} {name}")
                    + (f" (memory: largest of {target.ranks.count} ranks)" if target.ranks else ""),
                )
            )
    known = [at for at in range(len(titles)) if any(line[at] != "–" for line in cells[1:])]
    lines = [[line[at] for at in known] for line in cells] if len(known) > 1 else []  # else nothing but names
    if lines and sum(widths_of(lines)[:-1]) + 2 * len(lines[0]) + LEAST_NAME > width:
        table = [
            line
            for cell in lines[1:]
            for line in wrapped(in_words(lines[0], cell, len(cell) - 1), width, hanging="    ")
        ]
    else:
        table = [line for cell in lines for line in _columns(cell, widths_of(lines)[:-1], width)]
    kernels = [wrapped(text, width, hanging="    ") for text in resource_lines(run)]
    spent = [wrapped(_where_time_went(target), width, hanging="    ") for target in run.targets if target.spent]
    blocks = [table, [line for own in kernels for line in own], [line for own in spent for line in own]]
    return [line for block in blocks if block for line in ("", *block)][1:]


def _where_time_went(target: TargetResult) -> str:
    parts = [f"{word} {units.seconds(seconds)}" for word, seconds in target.spent.items()]
    rest = f"the rest {units.seconds(target.seconds - sum(target.spent.values()))}"
    return f"{target.target} took {units.seconds(target.seconds)}: {', '.join([*parts, rest])}"


def _footer(run: Run, width: int, notes: int, code: str) -> list[Line]:
    """Where it is saved, how to read more, and the next step; `code` is one that was printed above."""
    judged = sum(1 for row in rows_of(run) if "[" in row.ratio)
    saved = f"saved in {folder_of(run)}" if run.run else "not saved: every target was refused"
    lines = wrapped(saved, width, hanging="    ")
    if judged >= CHANCE_ROWS:
        lines.append(_by_chance(run, judged))
    if code:
        lines.append(f"what a code means: perfproof explain {code}")
    if notes and run.run:
        lines += wrapped(f"{notes} note{'' if notes == 1 else 's'}: {notes_command(run)}", width, hanging="    ")
    lines += [*filter(None, [same_inputs(run)]), *without_the_wrong_one(run)]
    command, _, comment = next_command(run).partition("  # ")
    step = f"next: {command}"  # never broken: it is there to be copied
    if comment and len(step) + len(comment) + 4 <= width:
        step += f"  # {comment}"
    return [*_plain(lines), (step, {command: BOLD})]


def _by_chance(run: Run, rows: int) -> str:
    """How many intervals miss the truth; those that hold together miss it less often each."""
    levels = {ratio.level for target in run.targets for ratio in target.ratios.values()}
    each = 1 - min(levels, default=0.97)
    return f"about {each * rows:.1f} of {rows} rows wrong by chance ({f'{each:.2g}'.removeprefix('0')} each)"


def _coloured(text: str, styles: dict[str, str]) -> str:
    """A word has its style if it stands by itself."""
    marks: list[tuple[int, int, str]] = []
    for word, style in styles.items():
        for found in re.finditer(rf"(?<!\S){re.escape(word)}(?!\w)", text) if word else ():
            if all(found.end() <= start or found.start() >= end for start, end, _ in marks):
                marks.append((*found.span(), style))
    for start, end, style in sorted(marks, reverse=True):
        text = f"{text[:start]}\x1b[{style}m{text[start:end]}\x1b[0m{text[end:]}"
    return text
