"""What pays, in order of its gain, and what does not: from the tables of all chapters, by kind of machine.

A baseline that is naive gives no headline, and a result of an older source is no result of today's pair.
"""

import re
from collections.abc import Iterable, Sequence

from perfproof.pairs.pair import Broken, Pair
from perfproof.report.chapters import OLDER, Line, parse_table

BEGIN, END = "<!-- wins:begin -->", "<!-- wins:end -->"
GAINS, OTHERS = ("faster", "better"), ("slower", "worse", "same")
MOST = 12  # lines of gains per machine


def wins_block(pairs: Sequence[Pair | Broken], tables: Iterable[str]) -> str:
    """A table of gains and one of the rest for each kind of machine, the machine with most results first."""
    known = {pair.name: pair for pair in pairs if isinstance(pair, Pair)}
    found: dict[str, dict[str, Line]] = {}
    for group in (group for table in tables for group in parse_table(table)):
        own = [line for line in group if _low(line) and not line.verdict.endswith(OLDER) and _name(line) in known]
        if own:  # the best variant of a pair stands for it
            found.setdefault(own[0].machine, {})[_name(own[0])] = max(own, key=_low)
    machines = sorted(found, key=lambda machine: -len(found[machine]))
    return "\n\n".join(_machine_block(machine, list(found[machine].values()), known) for machine in machines)


def _machine_block(machine: str, lines: list[Line], known: dict[str, Pair]) -> str:
    gains = [line for line in lines if _word(line) in GAINS and line.tier != "naive"]
    rest = [line for line in lines if _word(line) in OTHERS]
    blocks = [f"## On {machine}"]
    if gains:
        best = sorted(gains, key=_low, reverse=True)[:MOST]
        blocks.append("\n".join(["| gain | what to do | pair |", "|---|---|---|", *(_row(one, known) for one in best)]))
    if rest:
        worst = sorted(rest, key=_low)
        head = ["Measured too, and no gain here:", "", "| ratio | what was done | pair |", "|---|---|---|"]
        blocks.append("\n".join([*head, *(_row(one, known) for one in worst)]))
    return "\n\n".join(blocks)


def _row(line: Line, known: dict[str, Pair]) -> str:
    pair = known[_name(line)]
    claim = "" if pair.claim == "time" else f", {pair.claim}"
    return f"| {line.measured}{claim} | {pair.lesson.replace('|', chr(92) + '|')} | {line.target} |"


def _name(line: Line) -> str:
    return line.target.partition(" ")[0].replace("\\", "")


def _word(line: Line) -> str:
    return line.verdict.partition(" ")[0].rstrip(",:")


def _low(line: Line) -> float:
    """The lower end of the interval; zero if it has none."""
    found = re.search(r"\[([\d.]+), [\d.]+\]", line.measured)
    return float(found[1]) if found else 0.0
