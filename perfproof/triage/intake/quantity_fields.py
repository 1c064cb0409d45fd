"""The fields of a form that hold a number with its unit, and commas in them: a decimal comma is never misread."""

import re
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from perfproof.core.intake import Intake
from perfproof.triage.intake import quantities
from perfproof.triage.intake.problems import Path, Problem

# "1,500": thousands here, one and a half elsewhere. With a second comma or a point it can only be thousands.
EITHER = re.compile(r"\s*[1-9]\d{0,2},\d{3}(?![\d,.])")


def example_of(field: FieldInfo | None) -> str:
    """Of a quantity: it stands in the type, which may be one of a union with None. Empty for any other field."""
    if field is None:
        return ""
    found = [field, *(part for option in get_args(field.annotation) for part in getattr(option, "__metadata__", ()))]
    examples = (one.examples for one in found if isinstance(one, FieldInfo) and one.examples)
    return str(next(examples, [""])[0])


def doubtful_commas(intake: Intake) -> Iterator[Problem]:
    for path, written in quantities_of(intake):
        if not quantities.is_number(written):
            meant = written.replace(",", ".") if written.count(",") == 1 else "it with a decimal point"
            yield Problem(path, f"{written!r} is not understood: a comma parts thousands, as in 1,500; write {meant}")
        elif EITHER.match(written):
            text = f"{written!r} is read as {written.replace(',', '')}: a comma parts thousands"
            yield Problem(path, f"{text}; if it parts decimals, write {written.replace(',', '.')}", "doubt")


def quantities_of(intake: Intake) -> Iterator[tuple[Path, str]]:
    for name in Intake.model_fields:
        section = getattr(intake, name)
        if isinstance(section, BaseModel):
            for field, info in type(section).model_fields.items():
                written = getattr(section, field)
                if isinstance(written, str) and example_of(info):
                    yield (name, field), written
