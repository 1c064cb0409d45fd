"""Two runs beside each other, for people: what changed, how sure that is, and why as far as it can be known."""

from perfproof.core import units
from perfproof.core.options import RunOptions
from perfproof.core.run_comparison import Change, ComparedRow, RunComparison
from perfproof.history.comparison import judged_change
from perfproof.report.rows import one_line
from perfproof.report.text import fitting, wrapped

WIDTH = 100
LEGEND = (  # what a verdict says, for those that are in the table
    (("same",), f"same: any difference is below {units.percent(RunOptions.delta, 0)}, which does not matter"),
    (("no difference",), "no difference: none was found; the interval says how large one could still be"),
    (("better",), "better: at most 5 % of such marks are by chance"),
    (("differs",), "differs: worse, at most 5 % of such marks by chance; not enough to fail a gate"),
    (("worse",), "worse: a loss that stands after Holm's correction for many comparisons"),
)
CHANCE_ROWS = 10  # from this many rows on, say how many are wrong by chance


def render(found: RunComparison, width: int = WIDTH) -> str:
    titles = ("verdict", "speed-up A", "speed-up B", "B over A", "time", "target")
    head, *table = fitting(titles, [_cells(row, found.canary) for row in found.rows], width, name=5)
    differing = f"machines differ in {'; '.join(found.differing)}" if found.differing else ""
    lines = [f"A {found.a}", f"B {found.b}", *wrapped(differing, width), "", *head]
    for row, own in zip(found.rows, table, strict=True):
        lines += own
        for note in _notes(row):
            lines += wrapped(one_line(note), width, indent="    ")
    lines += ["", *(line for said in (*_means(found), *_footer(found)) for line in wrapped(said, width))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def change_text(change: Change | None) -> str:
    """1.020x [1.011, 1.029]"""
    if change is None:
        return "–"
    if change.low is None or change.high is None:
        return f"{units.ratio(change.ratio)} no interval"
    return f"{units.ratio(change.ratio)} [{change.low:.3f}, {change.high:.3f}]"


def _cells(row: ComparedRow, canary: str | None) -> tuple[str, ...]:
    word = row.verdict or ("canary" if row.target == canary else "not judged")
    mark = word if row.state == "compared" else row.state
    label = f"{row.target} {row.variant}".rstrip()
    speeds = (units.ratio(row.speed_up_a), units.ratio(row.speed_up_b))
    return (mark, *speeds, change_text(row.speed_up), change_text(row.time), label)


def _notes(row: ComparedRow) -> list[str]:
    reasons = [change.why_no_interval for change in (row.speed_up, row.time) if change and change.why_no_interval]
    causes = [f"cause: {'; '.join(row.causes)}"] if row.causes and (row.marked or row.worse) else []
    wrong = f"wrong output in B: {row.wrong_output}" if row.wrong_output else ""
    return [note for note in (row.reason, wrong, *dict.fromkeys(reasons), *causes) if note]


def _means(found: RunComparison) -> list[str]:
    if found.withheld:
        return [f"geometric mean withheld: {found.withheld}"]
    lines = []
    for mean in found.means:
        ends = "no interval below five" if mean.low is None else f"[{mean.low:.3f}, {mean.high:.3f}]"
        lines.append(f"geometric mean, {mean.name}: {units.ratio(mean.ratio)} {ends}")
    if found.shared is None:
        lines.append("drift of the machine between the runs is not in these intervals: --canary TARGET corrects for it")
    else:
        lines.append(f"what all targets share, by the canary {found.canary}: {units.percent(found.shared, 2)}")
    return lines


def _leaves_out_one(change: Change | None) -> bool:
    return bool(change and change.low and change.high and (change.low > 1 or change.high < 1))


def _footer(found: RunComparison) -> list[str]:
    judged = [row for row in found.rows if row.state == "compared"]
    lines = [f"judged by {found.judged}; above 1, B is better; {100 * found.level:g} % intervals over launches"]
    used = {row.verdict for row in judged}
    lines += [text for words, text in LEGEND if used & set(words)]
    if any(row.verdict == "no difference" and _leaves_out_one(judged_change(row, found.judged)) for row in judged):
        lines.append(
            f"an interval that leaves out 1 is no mark by itself: marks are corrected for {len(judged)} comparisons "
            "(Benjamini and Hochberg)"
        )
    if len(judged) >= CHANCE_ROWS:
        lines.append(f"about {0.03 * len(judged):.1f} of {len(judged)} intervals miss the truth by chance")
    return lines
