"""The tables of results in chapters/*/README.md: the newest saved result of each variant on each kind of machine.

Only what stands between the two marks is written. A row of a machine whose runs are not here stays as it is, so that
results from several machines can meet in one table. A run at smoke sizes, at overridden sizes or of quick effort is no
result of a chapter, nor is a verdict that is only indicative or rests on fewer than eight launches. A row that does not
say its launches is of an older table, whose times need not divide to the ratio: it goes when the table is written.

`of the limit` is the share that each side reaches of the machine's best measured rate, for the bytes or operations that
the pair declares: `12 → 95 %`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from perfproof.calc.prediction import prediction_of
from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.errors import UsageError
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.formats.md import escaped
from perfproof.report.rows import target_rows
from perfproof.stats.quads import BASELINE

BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
LIMIT = "of the limit"
TITLES = (
    "target",
    "tier",
    "verdict",
    "measured",
    "predicted",
    "baseline",
    "variant",
    LIMIT,
    "launches",
    "machine",
    "date",
    "source",
)
LEAST_LAUNCHES = 8
OLDER = " (older source)"


@dataclass(frozen=True)
class Line:
    """One row of a chapter's table, as text."""

    target: str
    tier: str
    verdict: str
    measured: str
    predicted: str
    baseline: str
    variant: str
    limit: str  # how much of what the machine can do each side reaches
    launches: str
    machine: str
    date: str
    source: str  # the beginning of the code's hash, in older rows of the file's: a result speaks of what it measured

    @property
    def key(self) -> tuple[str, str]:
        """The pair and the machine: the results of one target on one machine come from one run."""
        return self.target.partition(" ")[0], self.machine

    @property
    def text(self) -> str:
        return f"| {' | '.join(astuple(self))} |"


def chapter_table(pairs: Sequence[Pair | Broken], runs: Iterable[Run], existing: str = "") -> str:
    """The table for these pairs, in their order; `existing` is the text that now stands between the marks."""
    newest: dict[tuple[str, str], list[Line]] = {}
    for group in [*parse_table(existing), *_groups_of(runs)]:
        if _replaces(group, newest.get(group[0].key)):
            newest[group[0].key] = group
    every = [line for group in newest.values() for line in group]
    lines = [f"| {' | '.join(TITLES)} |", "|---|---|---|---|---|---:|---:|---:|---:|---|---|---|"]
    for pair in pairs:
        lines += [line.text for line in _pair_lines(pair, every)]
    return "\n".join(lines)


def between_marks(readme: str, where: str, begin: str = BEGIN, end: str = END) -> str:
    rest = readme.partition(begin)[2]
    inside, found, _ = rest.partition(end)
    if not rest or not found or begin in rest:
        raise UsageError(f"{where}: write one line {begin} and below it one line {end} where the table goes")
    return inside


def place(readme: str, table: str, where: str, begin: str = BEGIN, end: str = END) -> str:
    """The text with the table between the marks; everything else as it was."""
    inside = between_marks(readme, where, begin, end)
    return readme.replace(f"{begin}{inside}{end}", f"{begin}\n{table}\n{end}", 1)


def results_of(runs: Iterable[Run]) -> Iterator[tuple[Run, TargetResult]]:
    """What may stand in a page, with the run that it is from."""
    for run in runs:
        if run.options.get("fast") or run.options.get("effort") == "quick" or run.options.get("ab"):
            continue
        for target in run.targets:
            if not any(warning.code == "W120" for warning in target.warnings) and _counts(target):
                yield run, target


def _replaces(group: list[Line], known: list[Line] | None) -> bool:
    """The newer result stands; one that was merely skipped this time does not put a measured one aside."""
    if known is None:
        return True
    skipped, known_skipped = (lines[0].verdict.startswith("skipped") for lines in (group, known))
    return known_skipped if skipped != known_skipped else known[0].date <= group[0].date


def _groups_of(runs: Iterable[Run]) -> list[list[Line]]:
    return [
        _target_lines(target, str(run.machine.get("kind", "unknown")), target.started or run.started)
        for run, target in results_of(runs)
    ]


def _predicted(target: TargetResult, variant: str) -> str:
    found = prediction_of(target, variant)
    return found.words if found else "–"


def _counts(target: TargetResult) -> bool:
    """Is it a result, or the reason why there is none? Not if a verdict of it is a mere hint."""
    return target.status != "ok" or (bool(target.ratios) and all(map(_is_result, target.ratios.values())))


def _is_result(judged: RatioResult) -> bool:
    """Memory is read in processes of its own, and needs no launches."""
    enough = judged.claim == "memory" or judged.launches >= LEAST_LAUNCHES
    return enough and judged.verdict != "indicative"


def _was_result(line: Line) -> bool:
    few = line.launches.isdecimal() and int(line.launches) < LEAST_LAUNCHES
    return not few and not line.verdict.startswith("indicative")


def _target_lines(target: TargetResult, machine: str, started: str) -> list[Line]:
    lines = []
    for row in target_rows(target):
        name = f"{target.target} {row.variant}" if len(target.ratios) > 1 else target.target
        notes = "; ".join(row.notes)
        said = f"{row.word}: {notes}" if notes and target.status != "ok" else row.said
        judged = target.ratios.get(row.variant)
        lines.append(
            Line(
                target=escaped(name),
                tier=target.tier or "–",
                verdict=escaped(said),
                measured=row.ratio or "–",
                predicted=_predicted(target, row.variant or "optimized"),
                baseline=row.baseline or "–",
                variant=row.measured or "–",
                limit=_of_the_limit(target, row.variant),
                launches=str(judged.launches) if judged and judged.launches else "–",
                machine=machine,
                date=started[:10],
                source=(target.code_sha256 or target.source_sha256)[:8] or "–",
            )
        )
    return lines


def _of_the_limit(target: TargetResult, variant: str) -> str:
    """The shares that the baseline and the variant reach: `12 → 95 %`. A claim about memory has none."""
    judged, sides = target.ratios.get(variant), (BASELINE, variant)
    shares = [light.share for side in sides if (known := target.variants.get(side)) and (light := known.light)]
    if judged is None or judged.claim == "memory" or len(shares) < len(sides) or None in shares:
        return "–"
    before, after = (_two_digits(100 * (share or 0.0)) for share in shares)
    return f"{before} → {after} %"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"


def _pair_lines(pair: Pair | Broken, lines: Iterable[Line]) -> list[Line]:
    """The lines of one pair by machine, in the order of its variants; one that says so if there are none.

    That another machine had to skip it is no result beside a measured one.
    """
    names = [escaped(pair.name)]
    if isinstance(pair, Broken):
        return [_empty(names[0], "", f"refused: {escaped(pair.error)}")]
    names += [f"{names[0]} {escaped(variant)}" for variant in pair.variants]
    mine = sorted(
        (line for line in lines if line.target in names), key=lambda one: (one.machine, names.index(one.target))
    )
    if not mine:
        return [_empty(names[0], pair.tier, "not measured yet")]
    measured = [line for line in mine if not line.verdict.startswith("skipped")]
    return [_marked(line, pair) for line in measured or mine]


def _marked(line: Line, pair: Pair) -> Line:
    verdict = line.verdict.removesuffix(OLDER)
    if line.source == pair.source_sha256[:8]:  # of this very file: its code is the one that was measured
        return replace(line, verdict=verdict, source=pair.code_sha256[:8])
    stale = line.source not in ("–", pair.code_sha256[:8])
    return replace(line, verdict=verdict + OLDER if stale else verdict)


def _empty(target: str, tier: str, verdict: str) -> Line:
    return Line(target, tier or "–", verdict, *["–"] * (len(TITLES) - 3))


def parse_table(existing: str) -> list[list[Line]]:
    """The rows of a table that this module wrote, by pair and machine, less those that say that there is nothing."""
    found: dict[tuple[str, str], list[Line]] = {}
    for text in existing.splitlines():
        cells = [cell.strip() for cell in text.strip().strip("|").replace("\\|", "\0").split("|")]
        if len(cells) == len(TITLES) - 1:  # of a table that did not say it yet
            cells.insert(TITLES.index(LIMIT), "–")
        if len(cells) == len(TITLES) and cells[0] != TITLES[0] and not set(cells[0]) <= set("-:"):
            line = Line(*(cell.replace("\0", "\\|") for cell in cells))
            if line.machine != "–" and _was_result(line):
                found.setdefault(line.key, []).append(line)
    return list(found.values())
