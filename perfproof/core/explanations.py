"""The words and codes that output uses, explained in explanations.md: `perfproof explain launch`.

There, `# GROUP` begins a group, and `## WORD: TITLE` a word of it: a paragraph with its meaning, and one with what to
do.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Explanation:
    title: str  # a few words
    meaning: str  # what was seen, and what it does to the number
    remedy: str  # what to do about it


def _read(text: str) -> dict[str, dict[str, Explanation]]:
    groups: dict[str, dict[str, Explanation]] = {}
    for part in f"\n{text}".split("\n# ")[1:]:
        heading, *entries = part.split("\n## ")
        known = groups[heading.strip()] = {}
        for entry in entries:
            head, meaning, remedy = (" ".join(one.split()) for one in entry.strip().split("\n\n"))
            word, _, title = head.partition(": ")
            known[word] = Explanation(title, meaning, remedy)
    return groups


GROUPS = _read(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
VERDICTS, STATUSES, CODES = GROUPS["Verdicts"], GROUPS["Statuses"], GROUPS["Warnings"]
