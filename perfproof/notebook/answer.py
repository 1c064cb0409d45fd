"""The answer of `perfproof.compare`: a sentence to quote, a small table for notebooks, and everything behind them."""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from perfproof.bench.forms.two_functions import F, G
from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.ratio_figures import ratio_figures
from perfproof.core.units import seconds
from perfproof.report.labels import label_of
from perfproof.report.remarks import coded
from perfproof.report.rows import one_line, ratio_text
from perfproof.report.sentences import conclusion

CODE = re.compile(r"\bW\d{3}\b")
CELL = 'style="text-align:left;padding:2px 12px 2px 0"'


@dataclass(frozen=True, repr=False)
class Answer:
    """`str()` of it begins with the sentence to quote; `document` is what is saved, in the folder `path`."""

    document: TargetResult
    path: Path | None = None
    load: str = ""  # if the machine was busy with other work when the run began

    @property
    def status(self) -> str:
        """ok, or what went wrong: failed-verification, rejected, refused, crashed or timeout."""
        return self.document.status

    @property
    def verdict(self) -> str | None:
        """faster, slower, same, inconclusive, unstable or indicative; None if there is no result."""
        return self.document.verdict

    @property
    def ratio(self) -> float | None:
        """Time of f over time of g: above 1, g is faster."""
        return self._judged.ratio if self._judged else None

    @property
    def low(self) -> float | None:
        return self._judged.low if self._judged else None

    @property
    def high(self) -> float | None:
        return self._judged.high if self._judged else None

    @property
    def times(self) -> tuple[float | None, float | None]:
        """Seconds per call of f and of g; their quotient is the ratio."""
        return ratio_figures(self.document, G) if self._judged else (None, None)

    @property
    def notes(self) -> list[str]:
        """What else to know about the result, with codes for `perfproof explain`."""
        own = [note for note in (self.load, self._judged.note if self._judged else "") if note]
        return [*map(one_line, own), *map(coded, self.document.warnings)]

    @property
    def _judged(self) -> RatioResult | None:
        return self.document.ratios.get(G) if self.status == "ok" else None

    def __str__(self) -> str:
        saved = [f"Saved in {self.path}"] if self.path else []
        sentence = conclusion(self.document, G)
        notes = [f"- {note}" for note in self.notes if note not in sentence]  # nothing is said twice
        codes = CODE.findall(" ".join(notes))
        means = [f"What a code means: perfproof explain {codes[0]}"] if codes else []
        return "\n".join([sentence, *notes, *means, *saved])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A table without styles or scripts from elsewhere."""
        result, judged = self.document, self._judged
        rows: list[tuple[str, str]] = [("verdict", result.verdict or result.status)]
        if judged:
            before, after = (seconds(one) for one in self.times)
            rows += [(label_of(result, F), before), (label_of(result, G), after)]
            rows += [(f"ratio [{100 * judged.level:.3g} % interval]", ratio_text(judged))]
        rows += [("checks", _counted(result))] if result.checks else []
        rows += [("saved in", str(self.path))] if self.path else []
        cells = "".join(f"<tr><th {CELL}>{escape(name)}</th><td {CELL}>{escape(text)}</td></tr>" for name, text in rows)
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        more = f"<details><summary>{len(self.notes)} notes</summary><ul>{notes}</ul></details>" if notes else ""
        return f"<div><p>{escape(conclusion(result, G))}</p><table>{cells}</table>{more}</div>"


def _counted(result: TargetResult) -> str:
    """ "17 passed, not run: isolation"."""
    passed = sum(check.result == "pass" for check in result.checks)
    named = [
        f"{word}: {', '.join(names)}"
        for word, kind in (("failed", "fail"), ("not run", "not-run"))
        if (names := [check.name for check in result.checks if check.result == kind])
    ]
    return ", ".join([f"{passed} passed", *named])
