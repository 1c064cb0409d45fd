"""The calculators as forms; computed here, from what the address says: an answer can be bookmarked and sent."""

import shlex

from starlette.requests import Request
from starlette.responses import Response

from perfproof.calc.answer import Table
from perfproof.calc.value_text import text
from perfproof.core.errors import PerfproofError, UsageError
from perfproof.web.form_fields import Field
from perfproof.web.forms import Form, calculate, calculator_names, form_of
from perfproof.web.pages import page

TAB = (50, "Calculators", "/calculators")
SENT = "sent"  # a form without a value would look like one that was never sent


def show(request: Request) -> Response:
    return page(request, "calculators.html", "Calculators", forms=[form_of(name) for name in calculator_names()])


def one(request: Request) -> Response:
    form = form_of(request.path_params["name"])
    given = dict(request.query_params)
    answer, why = None, ""
    if SENT in given and not form.missing:
        try:
            answer = calculate(form.name, given)
        except PerfproofError as error:
            why = str(error)
        except (ArithmeticError, ValueError, MemoryError) as error:
            why = str(UsageError(f"these values have no answer: {type(error).__name__}"))
    values = {field.name: _shown(field, given) for field in form.fields}
    status = 400 if why else 200
    said = {"form": form, "values": values, "answer": answer, "why": why, "text": text, "shown_rows": _shown_rows}
    said["command"] = _command(form, given) if answer else ""
    return page(request, "calculator.html", f"Calculator: {form.name}", status, **said)


def _shown_rows(table: Table) -> list[list[str]]:
    return [[text(cell, unit) for cell, (_, unit) in zip(row, table.columns, strict=True)] for row in table.rows]


def _shown(field: Field, given: dict[str, str]) -> str:
    """What was written; what was not sent stands as it is by itself. A box that is not ticked is not sent at all."""
    return given.get(field.name, "" if field.kind is bool and SENT in given else field.value)


def _command(form: Form, given: dict[str, str]) -> str:
    """What gives the same answer in a terminal."""
    words = ["perfproof", "calc", form.name]
    for field in form.fields:
        words += _words(field, given.get(field.name, "").strip())
    return shlex.join(words)


def _words(field: Field, value: str) -> list[str]:
    if not value or (value == field.value and field.name not in ("model", "gpu")):
        return []
    option = f"--{field.name.replace('_', '-')}"
    if field.name == "model":
        return [value]
    return [option] if field.kind is bool else [option, value]


ROUTES = {"/calculators": show, "/calculators/{name}": one}
