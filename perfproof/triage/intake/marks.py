"""YAML with the place of every value: plain data, and for each path the line and column where it stands.

Only plain YAML: no tags that build objects, no references, no key twice.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from perfproof.triage.intake.problems import Path, Problem

DEEPEST = 20
Place = tuple[int, int]


@dataclass
class Marked:
    data: Any = None
    values: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def placed(self, problem: Problem, at_key: bool = False) -> Problem:
        """The problem at its value or its key; where there is neither, at the key above that should hold it."""
        path = problem.path
        while path and path not in self.values:
            path = path[:-1]
            at_key = True
        places = self.keys if at_key and path in self.keys else self.values
        line, column = places.get(path, (1, 1))
        return replace(problem, line=line, column=column)


def read_marked(text: str) -> Marked:
    marked = Marked()
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        said = error.problem or "it cannot be read"
        marked.problems.append(Problem((), f"is not YAML: {said}", line=place[0], column=place[1]))
        return marked
    except (yaml.YAMLError, RecursionError) as error:  # characters that YAML does not allow; nested without end
        marked.problems.append(Problem((), f"is not YAML: {' '.join(str(error).split())[:120]}"))
        return marked
    if node is not None:
        marked.data = _value(node, (), marked)
    return marked


def _value(node: yaml.Node, path: Path, marked: Marked) -> Any:
    marked.values[path] = _place(node)
    if id(node) in marked.seen or len(path) > DEEPEST:
        marked.problems.append(_problem(path, "is nested too deep, or refers to another place: write it out", node))
        return None
    marked.seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, marked)
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, (*path, at), marked) for at, one in enumerate(node.value)]
    try:
        return _scalar(node)
    except (yaml.YAMLError, ValueError) as error:
        said = getattr(error, "problem", None) or str(error)
        marked.problems.append(_problem(path, f"cannot be read: {said}", node))
        return None


def _mapping(node: yaml.MappingNode, path: Path, marked: Marked) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        if name in found:
            marked.problems.append(_problem((*path, name), "stands twice: remove one", key))
            continue
        marked.keys[(*path, name)] = _place(key)
        found[name] = _value(value, (*path, name), marked)
    return found


def _scalar(node: yaml.Node) -> Any:
    """Plain values only. A date stays the text that it was: it is nobody's number here."""
    if node.tag in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:str"):
        return node.value
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node)
    finally:
        loader.dispose()


def _place(node: yaml.Node) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1


def _problem(path: Path, text: str, node: yaml.Node) -> Problem:
    line, column = _place(node)
    return Problem(path, text, line=line, column=column)
