"""Check a form: read it, hold it against the document, look for contradictions; every problem with its place."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from perfproof.core.intake import Intake
from perfproof.triage.intake.contradictions import find_contradictions
from perfproof.triage.intake.marks import Marked, read_marked
from perfproof.triage.intake.problems import Problem
from perfproof.triage.intake.quantity_fields import example_of


@dataclass(frozen=True)
class Checked:
    """`intake` is None where the form could not be read as one; `not_checked` says what, and why."""

    intake: Intake | None
    problems: list[Problem]
    not_checked: list[str] = field(default_factory=list)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]


def check_text(text: str, folder: Path, symptoms: Collection[str] = ()) -> Checked:
    """`folder` is where a relative path of the form starts; `symptoms` are those of the menu, if it was read."""
    marked = read_marked(text)
    if marked.problems and marked.data is None:
        return Checked(None, marked.problems)
    if not isinstance(marked.data, dict):
        return Checked(None, [Problem((), "is not a form: `perfproof intake new` writes one")])
    wrong = [*_wrong_version(marked.data), *_booleans(marked.data, ())]
    if wrong:
        return Checked(None, _in_order([*marked.problems, *map(marked.placed, wrong)]))
    try:
        intake = Intake.model_validate(without_empty(marked.data))
    except ValidationError as error:
        return Checked(None, _in_order([*marked.problems, *(_problem(one, marked) for one in error.errors())]))
    found, not_checked = find_contradictions(intake, folder)
    found += _unknown_symptoms(intake, symptoms)
    return Checked(intake, _in_order([*marked.problems, *map(marked.placed, found)]), not_checked)


def _wrong_version(data: dict[Any, Any]) -> Iterator[Problem]:
    written, known = data.get("schema_version"), Intake.model_fields["schema_version"].default
    if written is not None and (written != known or isinstance(written, bool)):
        text = (
            f"{written!r} is a form of another version; this perfproof reads {known}: `perfproof intake new` writes one"
        )
        yield Problem(("schema_version",), text)


def _booleans(value: Any, path: tuple[Any, ...]) -> Iterator[Problem]:
    """No field is a yes or no; as a number it would silently be 1 or 0."""
    if isinstance(value, bool):
        text = f"is {'yes' if value else 'no'} to YAML, and no field is: write a number, or the word in quotes"
        yield Problem(path, text)
    elif isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _booleans(one, (*path, key))


def without_empty(value: Any) -> Any:
    """A field that was left empty is not there."""
    if not isinstance(value, dict):
        return value
    return {name: without_empty(one) for name, one in value.items() if one is not None}


def _unknown_symptoms(intake: Intake, known: Collection[str]) -> Iterator[Problem]:
    for at, symptom in enumerate(intake.baseline.symptoms):
        if known and symptom not in known:
            near = get_close_matches(symptom, known, n=1)
            said = f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(known))}"
            yield Problem(("baseline", "symptoms", at), f"the menu has no experiment for {symptom!r}: {said}", "doubt")


def _in_order(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.line, problem.column, problem.text))


def _problem(error: Any, marked: Marked) -> Problem:
    path = tuple(error["loc"])
    at_key = error["type"] == "extra_forbidden"
    return marked.placed(Problem(path, _words(error, path)), at_key)


def _words(error: Any, path: tuple[Any, ...]) -> str:
    kind, value = error["type"], error["input"]
    model, field_info = _field(path)
    if kind == "missing":
        return f"is missing: {field_info.description}" if field_info and field_info.description else "is missing"
    if kind == "extra_forbidden":
        near = get_close_matches(str(path[-1]), list(model.model_fields) if model else [], n=1, cutoff=0.5)
        return "is no field of this form" + (f"; did you mean {near[0]}?" if near else "")
    if kind in ("string_pattern_mismatch", "string_type"):
        return _unit_words(value, field_info)
    if kind == "literal_error":
        near = get_close_matches(
            str(value), error["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", "), n=1
        )
        return f"{value!r} is none of {error['ctx']['expected']}" + (f"; did you mean {near[0]}?" if near else "")
    if kind.startswith(("int_", "float_")):
        return f"{value!r} must be a {'whole ' if kind.startswith('int_') else ''}number without a unit"
    return f"{value!r}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _unit_words(value: Any, field_info: FieldInfo | None) -> str:
    example = example_of(field_info)
    if isinstance(value, dict | list):
        return "must be one value, not several"
    if not example:
        return (
            f"{value!r} must be text"
            if not isinstance(value, int | float)
            else f'{value} must be text: write "{value}"'
        )
    if isinstance(value, int | float):
        return f'{value} has no unit: write it like "{example}"'
    return f'{value!r} is not understood: write a number and a unit, like "{example}"'


def _field(path: tuple[Any, ...]) -> tuple[type[BaseModel] | None, FieldInfo | None]:
    """The section that holds the field of a path, and the field itself."""
    model: type[BaseModel] | None = Intake
    info: FieldInfo | None = None
    for at, name in enumerate(path):
        info = model.model_fields.get(str(name)) if model else None
        if at < len(path) - 1 and info is not None:
            inner = info.annotation
            model = inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None
    return model, info
