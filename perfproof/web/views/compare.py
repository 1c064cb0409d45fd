"""Any two runs beside each other."""

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.errors import PerfproofError, UsageError
from perfproof.core.run_comparison import RunComparison
from perfproof.history.comparison import Saved, compare_runs
from perfproof.report.comparison_table import change_text
from perfproof.web.pages import page, settings_of
from perfproof.web.saved import load, run_names

TAB = (30, "Compare", "/compare")
JUDGED = ("speed-up", "time")
MOST_RUNS = 200


def show(request: Request) -> Response:
    """The form; with two runs chosen, what changed between them, or why they cannot be compared."""
    query = request.query_params
    names = run_names(settings_of(request).artifacts)[::-1][:MOST_RUNS]
    asked = {"a": query.get("a", ""), "b": query.get("b", ""), "judge": query.get("judge", JUDGED[0])}
    asked["across"] = query.get("across", "")
    found, why = None, ""
    if asked["a"] and asked["b"]:
        try:
            found = _compared(request, asked)
        except PerfproofError as error:
            why = str(error)
    chosen = asked | {"a": asked["a"] or next(iter(names[1:]), ""), "b": asked["b"] or next(iter(names), "")}
    status = 400 if why else 200
    values = {"names": names, "asked": chosen, "judged": JUDGED, "found": found, "why": why, "change": change_text}
    return page(request, "compare.html", "Compare two runs", status, **values)


def _compared(request: Request, asked: dict[str, str]) -> RunComparison:
    artifacts = settings_of(request).artifacts
    if asked["judge"] not in JUDGED:
        raise UsageError(f"judge {asked['judge'][:40]!r} is unknown: choose {' or '.join(JUDGED)}")
    a, b = (Saved(load(artifacts, asked[side]), artifacts / asked[side]) for side in ("a", "b"))
    return compare_runs(a, b, asked["judge"], None, asked["across"] == "yes")  # type: ignore[arg-type]


ROUTES = {"/compare": show}
