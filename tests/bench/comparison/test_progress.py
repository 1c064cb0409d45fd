"""What is said while a comparison is measured."""

import math

from perfproof.bench.comparison.couples import measure
from perfproof.bench.job import PLAIN
from tests.bench.comparison.recorded import job


def test_the_plan_is_told_once_and_progress_after_every_couple(measured):
    said = []
    launches, _ = measured(theta=0.05)
    measure(job(), PLAIN, launches, lambda *progress, **extra: said.append((*progress, extra)))
    lines = [extra["line"] for *_, extra in said if "line" in extra]
    assert len(lines) == 1 and "standard effort, about" in lines[0]
    phase, _, _, extra = [one for one in said if "line" not in one[-1]][-1]
    assert "8 of 8" in phase and "1.051x so far" in phase and abs(math.log(extra["ratio"]) - 0.05) < 0.02
