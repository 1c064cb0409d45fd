"""The words and codes that output uses, explained in explanations.md: `perfproof explain launch`.

There, `# GROUP` begins a group, and `## WORD: TITLE` a word of it: a paragraph with its meaning, a list of its cases if
it has many, and a paragraph with what to do.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Explanation:
    title: str  # a few words
    meaning: str  # what was seen, and what it does to the number
    remedy: str  # what to do about it
    cases: tuple[str, ...] = ()  # what the meaning covers, one by one


def _read(text: str) -> dict[str, dict[str, Explanation]]:
    groups: dict[str, dict[str, Explanation]] = {}
    for part in f"\n{text}".split("\n# ")[1:]:
        heading, *entries = part.split("\n## ")
        known = groups[heading.strip()] = {}
        for entry in entries:
            head, meaning, *listed, remedy = entry.strip().split("\n\n")
            word, _, title = _line(head).partition(": ")
            cases = tuple(_line(one) for text in listed for one in f"\n{text}".split("\n- ")[1:])
            known[word] = Explanation(title, _line(meaning), _line(remedy), cases)
    return groups


def _line(text: str) -> str:
    return " ".join(text.split())


GROUPS = _read(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
VERDICTS, STATUSES, CODES = GROUPS["Verdicts"], GROUPS["Statuses"], GROUPS["Warnings"]
