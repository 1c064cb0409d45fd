"""What the sides of a target are called: by their labels, if they have any."""

import re
from collections.abc import Sequence

from perfproof.core.documents import TargetResult

LONGEST_HEAD = 20  # characters of a label above a column
COMMIT = re.compile(r" \([0-9a-f]{8}\)$")


def label_of(target: TargetResult, side: str) -> str:
    return target.labels.get(side, side)


def variant_of(target: TargetResult, text: str) -> str:
    """The variant that a remark begins with, as in `fast: ranks differ`; empty if it is about all of the target."""
    names = {name: variant for variant in target.ratios for name in (variant, label_of(target, variant))}
    begun = [name for name in names if text.startswith((f"{name} ", f"{name}: "))]
    return names[max(begun, key=len)] if begun else ""


def style_of(side: str) -> str:
    """The class of its marks in a picture."""
    return "base" if side == "baseline" else "variant"


def under_heads(label: str, titles: tuple[str, str]) -> str:
    """A row's label without what the heads of its columns say: `./sort: old against new` is `./sort`.

    A head may have the commit of a revision, as in `main (1a2b3c4d)`; the name of a target does not.
    """
    for a, b in (titles, [COMMIT.sub("", title) for title in titles]):
        label = label.removesuffix(f"{a} against {b}").removesuffix(": ") or label
    return label


def common_labels(targets: Sequence[TargetResult]) -> tuple[str, str] | None:
    """The labels of both sides, if several targets have the same."""
    found = {tuple(target.labels.values()) for target in targets}
    both = next(iter(found), ())
    return both if len(targets) > 1 and len(found) == 1 and len(both) == 2 else None


def heads(targets: Sequence[TargetResult]) -> tuple[str, str]:
    """What to call the two sides above columns; a and b if their labels are too long for that."""
    found = [tuple(target.labels.values()) for target in targets]
    if not found or len(found[0]) != 2 or len(set(found)) > 1:
        return "baseline", "variant"
    return found[0] if max(map(len, found[0])) <= LONGEST_HEAD else ("a", "b")
