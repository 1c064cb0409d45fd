"""What the page beside a pair publishes for a kind of machine: something to compare with before a day is recorded.

A published ratio is of another machine of the kind. It is shown beside today's with its source, and it gates nothing.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from perfproof.core import units
from perfproof.core.documents import RatioResult
from perfproof.pairs.pair import Pair
from perfproof.report.chapters import BEGIN, END, Line, between_marks, parse_table
from perfproof.report.formats.md import escaped

_MEASURED = re.compile(r"(?P<ratio>[\d.]+)x \[(?P<low>[\d.]+), (?P<high>[\d.]+)\]")


def published_lines(pair: Pair, kind: str) -> dict[str, Line]:
    """variant -> its row in the README.md beside the pair, of this kind of machine and with an interval."""
    name = escaped(pair.name)
    names = {name: pair.variants[0], **{f"{name} {escaped(variant)}": variant for variant in pair.variants}}
    lines = _measured(pair.path.parent / "README.md")
    return {names[line.target]: line for line in lines if line.target in names and line.machine == kind}


def published_for(kind: str, folders: Iterable[Path]) -> str:
    """Which chapters publish results of this kind of machine; if none does, the kinds that they publish."""
    kinds = {folder: {line.machine for line in _measured(folder / "README.md")} for folder in sorted(set(folders))}
    chapters = [folder.name.partition("_")[0] for folder, found in kinds.items() if kind in found]
    if chapters:
        return f"chapters with results of {kind} to compare with: {' '.join(chapters)}"
    others = ", ".join(sorted(set().union(*kinds.values()))) or "no machine"
    return f"no chapter publishes results of {kind}; they have {others}"


def _measured(page: Path) -> list[Line]:
    """The rows of a page that have an interval."""
    text = page.read_text("utf-8", "replace") if page.is_file() else ""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        return []
    lines = [line for group in parse_table(between_marks(text, str(page))) for line in group]
    return [line for line in lines if _MEASURED.match(line.measured)]


def beside_published(pair: Pair, line: Line, today: RatioResult) -> str:
    """Today's ratio beside the published one, and where that stands."""
    source = f"{pair.path.parent.name}/README.md"
    older = "" if line.source in (pair.code_sha256[:8], pair.source_sha256[:8]) else ", of an older source"
    said = f"{source} has {line.measured} on {line.machine}, {line.date}{older}"
    found = _MEASURED.match(line.measured)
    if found is None or today.ratio is None or today.low is None or today.high is None:
        return f"{said}; today's ratio has no interval"
    if today.high < float(found["low"]):
        verdict = f"lower by {units.percent(1 - today.ratio / float(found['ratio']))}"
    elif today.low > float(found["high"]):
        verdict = f"higher by {units.percent(today.ratio / float(found['ratio']) - 1)}"
    else:
        verdict = "the intervals overlap"
    return f"{said}; today {units.ratio(today.ratio)} [{today.low:.3g}, {today.high:.3g}]: {verdict}"
