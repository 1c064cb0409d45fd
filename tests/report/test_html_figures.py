"""The pictures of a target: what their words say about the figures."""

import pytest

from perfproof.report.html_figures import times_figure
from tests.report.sample_runs import judged, target


@pytest.mark.parametrize(
    ("ratio", "before", "after", "words"),
    [
        (2.0, 4e-3, 2e-3, "Shorter is better."),
        (0.5, 2e-3, 4e-3, "Shorter is better."),
        (2.0, 100.0, 200.0, "Longer is better."),
        (0.5, 200.0, 100.0, "Longer is better."),
        (1.0, 5.0, 5.0, "Shorter is better."),
    ],
)
def test_a_metric_of_which_more_is_better_says_so(ratio, before, after, words):
    fields = {"claim": "metric", "clock": "rate"} if before > 1 else {}
    one = judged("faster", ratio, 0.9 * ratio, 1.1 * ratio, variant=after, **{"baseline": before} | fields)
    assert times_figure("x", target(ratio=one), []).caption.startswith(words)
