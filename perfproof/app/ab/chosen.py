"""A comparison that is ready to be measured; its results say its sides by their labels."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfproof.bench.run import Finished

Measure = Callable[[str, Callable[..., None]], "Iterator[Finished]"]  # (seed, notify) -> results
Answered = Callable[[Sequence[float], float], bool]  # (units, systematic band): is that enough?
# The names that the bench has for the sides, in what it says about them.
SIDE = re.compile(r"(?:^|(?<=: ))b(?=:| [a-z])|\b(?:the )?baseline(?= at |:|'s)|\bthe baseline\b")


@dataclass(frozen=True)
class Chosen:
    """One comparison, or several, ready to be measured."""

    names: tuple[str, ...]
    measure: Measure
    labels: tuple[str, ...] = ()  # of all sides, with the commits of revisions
    changes: str = ""  # the diff between two revisions


def labelled(name: str, labels: Sequence[str], measure: Measure) -> Chosen:
    """Results say what to call their sides: by the labels, or a and b if those are alike."""
    sides = labels if len(set(labels)) == len(labels) else ("a", "b")

    def measured(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        with closing(measure(seed, notify)) as results:  # type: ignore[type-var]
            for done in results:
                done.result.labels = dict(zip(("baseline", "b"), sides, strict=False))
                done.result.reason = _named(done.result.reason, sides)
                for check in done.result.checks:
                    check.detail = _named(check.detail, sides)
                for said in done.result.warnings:
                    said.text = _named(said.text, sides)
                yield done

    return Chosen((name,), measured, tuple(sides))


def one_by_one(each: Sequence[Chosen]) -> Chosen:
    """Several comparisons as one, measured one after the other."""

    def measured(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        for one in each:
            yield from one.measure(seed, notify)

    names, labels = ([text for one in each for text in getattr(one, field)] for field in ("names", "labels"))
    return Chosen(tuple(names), measured, tuple(labels))


def _named(text: str, sides: Sequence[str]) -> str:
    return SIDE.sub(lambda found: sides[-1] if found[0] == "b" else sides[0], text)
