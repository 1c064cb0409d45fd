"""`perfproof load whatif`: fit a model of a server to a load test, ask it for other settings, and confirm them.

The folder of a confirming test holds what-if.json and what-if.html beside the files of every load test.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from perfproof import __version__
from perfproof.app.load.asked import Asked, Say
from perfproof.app.load.done import Done, keep_result
from perfproof.app.load.imports import records_of
from perfproof.app.load.run import run_load
from perfproof.core.errors import UsageError
from perfproof.core.load import Window
from perfproof.core.units import percent
from perfproof.core.what_if import StepTimes, WhatIf
from perfproof.load.measures import window_of
from perfproof.load.record import Record
from perfproof.load.record_file import read_records
from perfproof.load.step_fit import Fit, fit_steps
from perfproof.load.step_model import StepModel
from perfproof.load.what_if import Engine, matched, simulate, sum_error
from perfproof.router.what_if import Fleet, simulate_fleet

DOCUMENT, PAGE = "what-if.json", "what-if.html"
MEASURED, MODEL, WHAT_IF, CONFIRMED = "measured", "model of it", "what if", "confirmed"
SHORTER, LONGER = "if steps are shorter", "if steps are longer"
LEAST_ERROR = 0.01  # of a step, in any case: engines differ by as much from one start to the next
MOST_ERROR = 0.5  # of a step: a range for a model that is off by more says nothing
AFTER = 1.0  # s after the last arrival
FIGURES = ("TTFT", "TPOT", "latency")
CLOSE = 0.10  # of a median
FAR_WIDER = 5  # times as wide as the steps' range: then it is the queue that makes a figure's range
ALIKE = 0.05  # of the tokens of a prompt


@dataclass(frozen=True)
class Settings:
    speed: float = 1.0
    slots: int | None = None
    chunk: int | None = None
    fleet: Fleet = field(default_factory=Fleet)
    measured_slots: int = 256
    measured_chunk: int = 8192
    confirm: str | None = None  # the address of a server with these settings
    asked: dict[str, str] = field(default_factory=dict)  # as it was written, for the reader
    artifacts_dir: str = "artifacts"


@dataclass
class Answer:
    document: WhatIf
    sides: dict[str, list[Record]]  # the requests of each column
    test: Done | None = None  # the confirming one


def run_what_if(name: str, settings: Settings, say: Say) -> Answer:
    path = records_of(name, settings.artifacts_dir)
    _, records, _ = read_records(path)
    good = [one for one in records if one.outcome == "ok"]
    if settings.confirm:
        refuse_what_a_replay_lacks(good)
    fit = fit_steps(records, settings.measured_chunk)
    engine = matched(good, fit.model, Engine(settings.measured_slots, settings.measured_chunk))
    sides = {MEASURED: good, MODEL: simulate(good, fit.model, engine)}
    off = sum_error(good, fit.model, engine)
    sides |= {name: _changed(good, one, engine, settings) for name, one in models_of(fit, step_range(off)).items()}
    test = _confirm(path, good, settings, say) if settings.confirm else None
    if test is not None:
        sides[CONFIRMED] = test.records
    shown = {name: side for name, side in sides.items() if name not in (SHORTER, LONGER)}
    return Answer(document_of(path, fit, engine, settings, sides, test, off), shown, test)


def step_range(off: float) -> float:
    """By how much all steps may be longer or shorter; 0 if the model is off by too much for a range."""
    return max(off, LEAST_ERROR) if off <= MOST_ERROR else 0.0


def models_of(fit: Fit, by: float) -> dict[str, StepModel]:
    """The model, and what it would be if all steps were off by so much: a range of each figure.

    Near the limit of a server little errors of all steps add up in the queue; far from it they do not.
    """
    ends = {SHORTER: fit.model.times(1 / (1 + by)), LONGER: fit.model.times(1 + by)} if by else {}
    return {WHAT_IF: fit.model, **ends}


def _changed(good: Sequence[Record], model: StepModel, engine: Engine, settings: Settings) -> list[Record]:
    engine = replace(engine, slots=settings.slots or engine.slots, chunk=settings.chunk or engine.chunk)
    if settings.fleet.is_plain:
        return simulate(good, model, engine, settings.speed)
    return simulate_fleet(good, model, engine, settings.fleet, settings.speed)


def refuse_what_a_replay_lacks(records: Sequence[Record]) -> None:
    """A replay sends every prompt anew and by the clock."""
    if any(one.begins_with or one.turn for one in records):
        raise UsageError(
            "--confirm replays lengths and arrivals, and this test had shared beginnings or several turns: "
            "test the other server with the same --workload instead"
        )


def _confirm(path: Path, good: Sequence[Record], settings: Settings, say: Say) -> Done:
    assert settings.confirm is not None
    arrivals = [one.intended for one in good]
    seconds = (max(arrivals) - min(arrivals)) / settings.speed + AFTER
    asked = Asked(
        url=settings.confirm,
        trace=str(path),
        speed=settings.speed,
        seconds=seconds,
        artifacts_dir=settings.artifacts_dir,
    )
    done = run_load(asked, say)
    keep_result(done)
    return done


def document_of(
    path: Path,
    fit: Fit,
    engine: Engine,
    settings: Settings,
    sides: dict[str, list[Record]],
    test: Done | None = None,
    sum_error: float = 0.0,
) -> WhatIf:
    model, windows = fit.model, {name: _window(side) for name, side in sides.items()}
    return WhatIf(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        command=["perfproof", *sys.argv[1:]],
        test=str(path),
        step=StepTimes(
            base=model.base,
            sequence=model.sequence,
            context=model.context,
            mixed=model.mixed,
            prefill=model.prefill,
            late=model.late,
        ),
        steps=fit.steps,
        median_error=fit.median_error,
        p90_error=fit.p90_error,
        sum_error=sum_error,
        step_range=step_range(sum_error),
        delay=engine.delay,
        ahead=engine.ahead,
        settings=settings.asked,
        measured=windows[MEASURED],
        model_of_it=windows[MODEL],
        what_if=windows[WHAT_IF],
        if_shorter=windows.get(SHORTER),
        if_longer=windows.get(LONGER),
        confirmed=windows.get(CONFIRMED),
        confirmed_at=settings.confirm or "",
        verdict="" if test is None else _verdict(windows, test, sum_error),
        notes=_notes(sides, test),
    )


def _verdict(windows: dict[str, Window], test: Done, sum_error: float) -> str:
    """Whether the second test bears the model out: by medians, since single requests decide the ends."""
    failed = [one.name for one in test.result.checks if one.result == "fail"]
    if failed:
        return f"not confirmed: the second test is not valid ({', '.join(failed)} failed); repeat it on an idle host"
    off = {
        name: model.quantiles["p50"].value / measured.quantiles["p50"].value - 1
        for name in FIGURES
        if (model := windows[WHAT_IF].figure(name)) and (measured := windows[CONFIRMED].figure(name))
    }
    if not off:
        return "not confirmed: nothing was answered"
    worst = max(off, key=lambda name: abs(off[name]))
    if abs(off[worst]) <= CLOSE:
        return f"confirmed: all medians within {percent(CLOSE, 0)}, the worst is {worst} ({off[worst]:+.1%})"
    said = f"the model's median of {worst} is off by {off[worst]:+.1%}"
    if sum_error <= CLOSE / 2 and all(_is_queue(windows, name, sum_error) for name in off if abs(off[name]) > CLOSE):
        return f"confirmed within its range only: {said}; small errors of a step decide here, which is near the limit"
    return f"not confirmed: {said}"


def _is_queue(windows: dict[str, Window], name: str, sum_error: float) -> bool:
    """Is the measured median within its range, and is that range a queue's: far wider than that of the steps?"""
    sides = (WHAT_IF, SHORTER, LONGER, CONFIRMED)
    figures = [one for side in sides if side in windows and (one := windows[side].figure(name))]
    if len(figures) < len(sides):
        return False
    *said, measured = (one.quantiles["p50"].value for one in figures)
    wide = max(said) - min(said) >= FAR_WIDER * 2 * step_range(sum_error) * said[0]
    return wide and min(said) <= measured <= max(said)


def _window(records: Sequence[Record]) -> Window:
    """From the first arrival to the last token."""
    first = min((one.intended for one in records), default=0.0)
    return window_of(records, first, 1e-6 + max((one.end or one.intended for one in records), default=0.0))


def _notes(sides: dict[str, list[Record]], test: Done | None) -> list[str]:
    found = []
    if test is not None:
        found += [f"the second test: {one.detail}" for one in test.result.checks if one.result == "fail"]
        asked, sent = (sum(one.prompt_tokens or 0 for one in sides[name]) for name in (MEASURED, CONFIRMED))
        share = sent / len(sides[CONFIRMED]) / (asked / len(sides[MEASURED])) if asked and sent else 1.0
        if abs(share - 1) > ALIKE:
            found.append(f"prompts of the second test had {share:.0%} of the tokens, so the model was not tried by it")
    for name in (WHAT_IF, CONFIRMED):
        side = sides.get(name, [])
        refused = sum(one.outcome != "ok" for one in side)
        if refused:
            found.append(f"{name}: {refused} of {len(side)} requests were refused or failed; figures are of the others")
    return found
