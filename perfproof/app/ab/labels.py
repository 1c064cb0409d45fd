"""How the two sides of a comparison are called, and what the history knows it by."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfproof.app.ab.asked import Asked

if TYPE_CHECKING:
    from perfproof.machine.worktrees import Tree

LABEL_LENGTH = 48


def side_labels(asked: Asked, usual: list[str], differing: list[str] | None = None) -> list[str]:
    """How the two sides are called: as the user says, or by what differs between them."""
    labels = differing if differing and usual[0] == usual[1] else usual
    return [asked.label_a or labels[0], asked.label_b or labels[1]]


def settings_of(variables: list[dict[str, str]], trees: "list[Tree]") -> list[str] | None:
    """What differs beside the command: revisions, or variables; None where neither does."""
    if trees:
        return [tree.label for tree in trees]
    if not any(variables):
        return None
    return [" ".join(f"{key}={value}" for key, value in one.items()) or "as it is" for one in variables]


def comparison_name(labels: Sequence[str], what: str = "") -> str:
    """What the history knows it by. Revisions are in it as they were written, so that it stays the same."""
    name = f"{labels[0]} against {labels[1] if labels[1] != labels[0] else 'itself'}"
    return f"{what}: {name}" if what and not labels[0].startswith(what) else name


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL_LENGTH else f"{line[: LABEL_LENGTH - 3]}..."
