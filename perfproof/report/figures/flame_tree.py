"""Stacks merged into a tree of frames and laid out in rows: the outermost above, as wide as they weigh."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LEAST = 0.002  # of the whole width: two pixels of a wide page
DEEPEST = 60
BROAD = 0.05  # of the whole width: frames below reach only a little deeper than the broad ones
BELOW_BROAD = 6
OTHERS = "others"
DEEPER = "deeper frames"


@dataclass
class Node:
    weight: float = 0.0
    inside: dict[str, "Node"] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """A rectangle: `x` and `width` are shares of the whole, `depth` counts from 0."""

    name: str
    x: float
    width: float
    depth: int
    weight: float
    folded: int = 0  # frames that were too small to draw


def merged(weights: Mapping[tuple[str, ...], float]) -> Node:
    """Weights below zero and empty stacks count as nothing."""
    root = Node()
    for path, weight in weights.items():
        if not path or not weight > 0:
            continue
        root.weight += weight
        node = root
        for name in path:
            node = node.inside.setdefault(name, Node())
            node.weight += weight
    return root


def laid_out(root: Node, least: float = LEAST) -> list[Frame]:
    """Every frame that can be seen. The small ones of a parent are one frame; so is what lies too deep."""
    frames: list[Frame] = []
    deepest = min(DEEPEST, _broad_depth(root) + BELOW_BROAD)
    waiting = [(root, 0.0, 0)]
    while waiting:
        node, x, depth = waiting.pop()
        if depth == deepest:
            if node.inside:
                weight = sum(one.weight for one in node.inside.values())
                frames.append(Frame(DEEPER, x, weight / root.weight, depth, weight, len(node.inside)))
            continue
        small = []
        for name, child in sorted(node.inside.items(), key=lambda item: (-item[1].weight, item[0])):
            width = child.weight / root.weight
            if width < least:
                small.append(child.weight)
                continue
            frames.append(Frame(name, x, width, depth, child.weight))
            waiting.append((child, x, depth + 1))
            x += width
        if small and sum(small) / root.weight >= least:
            frames.append(Frame(OTHERS, x, sum(small) / root.weight, depth, sum(small), len(small)))
    return frames


def _broad_depth(root: Node) -> int:
    """How deep the frames go that take a good part of the width: a thin column must not make a picture tall."""
    deepest, level = 0, [root]
    while level:
        level = [child for node in level for child in node.inside.values() if child.weight >= BROAD * root.weight]
        deepest += bool(level)
    return deepest
