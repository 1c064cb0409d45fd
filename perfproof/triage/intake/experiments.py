"""Which experiments of the menu fit a form: by its goal and by the symptoms that are seen already."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfproof.core.facts import Facts
from perfproof.core.intake import Intake
from perfproof.pairs.availability import availability
from perfproof.pairs.pair import Broken, Pair


@dataclass(frozen=True)
class Experiment:
    target: str
    symptom: str
    lesson: str
    runs: str  # timed, verified, no: on this machine
    why: str

    @property
    def command(self) -> str:
        return f"perfproof run {self.target}"


def fitting(intake: Intake, pairs: Sequence[Pair | Broken], facts: Facts) -> list[Experiment]:
    """In the order of the symptoms of the form; without symptoms, everything for the goal, what runs here first."""
    seen = intake.baseline.symptoms
    found = [experiment for pair in pairs if isinstance(pair, Pair) for experiment in _fits(intake, pair, facts)]
    ranks = {"timed": 0, "verified": 1, "no": 2}
    return sorted(found, key=lambda one: (_place(seen, one.symptom), ranks[one.runs], one.target))


def _fits(intake: Intake, pair: Pair, facts: Facts) -> Iterator[Experiment]:
    if not pair.menu:
        return
    goal, symptom = pair.menu[0], pair.menu[1]
    wanted = intake.goal.kind
    if wanted != "both" and goal not in (wanted, "both"):
        return
    if intake.baseline.symptoms and symptom not in intake.baseline.symptoms:
        return
    here = availability(pair, facts)
    runs = "timed" if here.timed else "verified" if here.verified else "no"
    yield Experiment(pair.name, symptom, pair.lesson, runs, here.reason)


def _place(seen: Sequence[str], symptom: str) -> int:
    return list(seen).index(symptom) if symptom in seen else len(seen)
