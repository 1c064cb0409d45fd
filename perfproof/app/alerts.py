"""What deserves an alarm after a round: a gate that failed, a verdict that changed, a series that took a step."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perfproof.app.index import store_place
from perfproof.app.session import now
from perfproof.core.continuous import Alert, Alerts, ContinuousState, Done
from perfproof.core.documents import RatioResult, Run
from perfproof.core.plan import Entry, Plan

NEAR = 3  # points: a step that is found again with more data may move by so many


def done_of(entry: Entry, started: str, code: int, document: dict[str, Any] | None, artifacts_dir: str) -> Done:
    """What an entry came to: verdicts by target and variant, and the gates that failed."""
    from perfproof.core.errors import DocumentError
    from perfproof.history.folders import load_run

    done = Done(started=started, exit_code=code)
    name = str((document or {}).get("run") or "")
    if not name:
        done.failures.append(f"no result: {_first_reason(document) or f'perfproof ended with {code}'}")
        return done
    try:
        run = load_run(Path(artifacts_dir) / name)
    except DocumentError as error:
        done.failures.append(f"no result: {error}")
        return done
    done.run, done.words = name, words_of(run)
    done.failures = [*_regressions(document or {}), *too_low(entry, run)]
    return done


def _first_reason(document: dict[str, Any] | None) -> str:
    """Why the first target was refused. A run in which all were is not kept."""
    refused = [one for one in (document or {}).get("targets", ()) if one.get("status") == "refused"]
    return f"{refused[0]['target']}: {refused[0]['reason']}" if refused else ""


def words_of(run: Run) -> dict[str, str]:
    """`target variant` -> verdict, or `target` -> status where there is no verdict."""
    found: dict[str, str] = {}
    for result in run.targets:
        if result.status != "ok" or not result.ratios:
            found[result.target] = result.status
        else:
            found |= {f"{result.target} {variant}": judged.verdict for variant, judged in result.ratios.items()}
    return found


def too_low(entry: Entry, run: Run) -> list[str]:
    """Gates of the plan itself. An interval that reaches the wanted ratio is no failure; no result is one."""
    ratios: dict[str, RatioResult] = {}
    for result in run.targets:
        for variant, judged in result.ratios.items() if result.status == "ok" else ():
            ratios.setdefault(result.target, judged)
            ratios[f"{result.target} {variant}"] = judged
    failures = []
    for label, wanted in entry.at_least.items():
        found = ratios.get(label)
        if found is None or found.ratio is None:
            failures.append(f"{label}: no ratio, at least {wanted:g}x is wanted")
        elif (found.high if found.high is not None else found.ratio) < wanted:
            reach = f" [{found.low:.4g}, {found.high:.4g}]" if found.low is not None and found.high else ""
            failures.append(f"{label}: {found.ratio:.4g}x{reach}, at least {wanted:g}x is wanted")
    return failures


def alerts_of(plan: Plan, entries: Sequence[Entry], state: ContinuousState, artifacts_dir: str) -> Alerts:
    found: list[Alert] = []
    for entry in entries:
        done = state.done[entry.name]
        what = "gate failed" if done.run else "no result"
        found += [Alert(what=what, entry=entry.name, text=text, run=done.run) for text in done.failures]  # type: ignore[arg-type]
        found += _changed_words(entry.name, state.before.get(entry.name), done)
    runs = {entry.name: state.done[entry.name].run for entry in entries}
    found += _change_points(state, {run for run in runs.values() if run}, artifacts_dir)
    tags = sorted({*plan.tags, *(tag for entry in entries for tag in entry.tags)})
    return Alerts(plan=plan.name, round=state.round, written=now(), tags=tags, runs=runs, alerts=found)


def _changed_words(entry: str, before: dict[str, str] | None, done: Done) -> list[Alert]:
    """Nothing in the first round. A target that is gone is a change as well."""
    if before is None or not done.words:
        return []
    changed = []
    for label in dict.fromkeys([*before, *done.words]):
        old, new = before.get(label, "not measured"), done.words.get(label, "not measured")
        if old != new:
            text = f"{label}: {old} before, {new} now"
            changed.append(
                Alert(what="verdict changed", entry=entry, target=label.partition(" ")[0], text=text, run=done.run)
            )
    return changed


def _change_points(state: ContinuousState, runs: set[str], artifacts_dir: str) -> list[Alert]:
    """Steps and drifts in the series of this round's targets that were not known; all are known in the first round."""
    from perfproof.history.index.rebuilding import open_index
    from perfproof.history.index.series import Series, every_key, points_of
    from perfproof.history.index.trends import analyse, record
    from perfproof.report.trend.words import FEWEST, signed, whole

    index = open_index(artifacts_dir, store_place())
    known, now_known, found = state.known_changes, dict(state.known_changes or {}), []
    try:
        for key in every_key(index, FEWEST):
            points = points_of(index, key)
            if not {point.run for point in points} & runs:
                continue
            trend = analyse(index, Series(key, points))
            record(index, trend)
            places = [(one, _place(one)) for one in _settled(trend.changes)]
            order = [point.run for point in points]
            for one, place in places:
                if known is not None and not _is_known(place, known.get(key.name, []), order):
                    says = f"{key.target}: {one.what} {signed(one.shift)} in {whole(key)}, at {one.after.run}"
                    found.append(Alert(what="change-point", target=key.target, text=says, run=one.after.run))
            now_known[key.name] = [place for _, place in places]
    finally:
        index.close()
    state.known_changes = now_known
    return found


def _settled(changes: Sequence[Any]) -> list[Any]:
    """Steps, and drifts in a series with nothing to watch: the first points after a step look like a drift."""
    watched = any(one.what == "watch" for one in changes)
    return [one for one in changes if one.what == "step" or (one.what == "drift" and not watched)]


def _place(change: Any) -> str:
    return f"{'+' if change.shift > 0 else '-'}{change.after.run}"


def _is_known(place: str, known: Sequence[str], order: Sequence[str]) -> bool:
    at = order.index(place[1:])
    near = [one for one in known if one[0] == place[0] and one[1:] in order]
    return any(abs(order.index(one[1:]) - at) <= NEAR for one in near)


def _regressions(document: dict[str, Any]) -> list[str]:
    """What `perfproof verify` confirmed, or could not find; a plain run has no outcomes."""
    bad = [one for one in document.get("outcomes", []) if one.get("outcome") in ("regression", "missing")]
    return [
        f"{one['target']} {one.get('variant', '')}".rstrip() + f": {one['outcome']}, {one.get('reason') or 'confirmed'}"
        for one in bad
    ]
