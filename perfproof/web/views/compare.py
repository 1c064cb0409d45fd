"""Any two runs beside each other."""

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.errors import PerfproofError, UsageError
from perfproof.core.run_comparison import RunComparison
from perfproof.history.comparison import Saved, compare_runs
from perfproof.report.comparison_table import change_text
from perfproof.web.catalogue import Catalogue, catalogue_of
from perfproof.web.pages import page, settings_of
from perfproof.web.saved import load

TAB = (30, "Compare", "/compare")
JUDGED = ("speed-up", "time")
SUGGESTED = 200  # names that the fields suggest; any other can be typed


def show(request: Request) -> Response:
    """The form, and what changed between the two runs that the address names, or why not; else the last two."""
    query = request.query_params
    known = catalogue_of(settings_of(request).artifacts).refresh()
    asked = {name: query.get(name, "").strip() for name in ("a", "b", "across", "target")}
    asked["judge"] = query.get("judge", JUDGED[0])
    found, why = None, ""
    named = bool(asked["a"] or asked["b"])
    if not named:
        asked["a"], asked["b"], asked["target"] = last_two(known, asked["target"])
    if asked["a"] and asked["b"]:
        try:
            asked |= {side: known.find(asked[side]) for side in ("a", "b")}
            found = _compared(request, asked)
        except PerfproofError as error:
            why = str(error) if named else ""
    names = [run.name for run in known.runs[:SUGGESTED]]
    targets = list(dict.fromkeys(one.target for one in known.latest))
    values = {"names": names, "targets": targets, "asked": asked, "judged": JUDGED, "found": found, "why": why}
    return page(request, "compare.html", "Compare two runs", 400 if why else 200, change=change_text, **values)


def last_two(known: Catalogue, target: str) -> tuple[str, str, str]:
    """The last two finished runs with a result of one target on one kind of machine, and that target.

    As `perfproof compare` chooses them: a result without a ratio counts too, and the comparison says why there is none.

    Without a name it is the first target of the newest run that has an earlier one.
    """
    later: dict[tuple[str, str], str] = {}
    pairs: dict[tuple[str, str], tuple[str, str, str]] = {}
    for run in known.runs:
        for one in run.results if run.state == "finished" else ():
            key = one.target, one.kind
            if not one.has_result or key in pairs or (target and one.target != target):
                continue
            if later.setdefault(key, run.name) != run.name:
                pairs[key] = run.name, later[key], one.target
    newest = max(pairs.values(), key=lambda pair: pair[1][:16], default=None)
    return newest or ("", next(iter(later.values()), ""), target)


def _compared(request: Request, asked: dict[str, str]) -> RunComparison:
    artifacts = settings_of(request).artifacts
    if asked["judge"] not in JUDGED:
        raise UsageError(f"judge {asked['judge'][:40]!r} is unknown: choose {' or '.join(JUDGED)}")
    a, b = (Saved(load(artifacts, asked[side]), artifacts / asked[side]) for side in ("a", "b"))
    return compare_runs(a, b, asked["judge"], None, asked["across"] == "yes")  # type: ignore[arg-type]


ROUTES = {"/compare": show}
