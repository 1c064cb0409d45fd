"""What a load test says in one sentence, and what a late client leaves of it."""

from types import SimpleNamespace

import pytest

from perfproof.app.load.headline import headline
from perfproof.core.documents import Check
from perfproof.core.load import SloResult, SloStep
from perfproof.load.slo import parse_slo

SEARCH = {5.0: "meets", 10.0: "meets", 14.0: "open", 20.0: "misses", 22.0: "meets"}


def slo_result(verdicts):
    step = {"seconds": 1.0, "requests": 9, "shares": [1.0], "request_goodput": 1.0, "token_goodput": 1.0}
    steps = [SloStep(rate=rate, verdict=one, output_tokens_per_second=1.0, **step) for rate, one in verdicts.items()]
    return SloResult(terms=parse_slo("ttft_p90<300ms"), sentence="12 req/s [11, 13]", steps=steps)


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ([], "12 req/s [11, 13]"),
        (
            ["client lag"],
            "at least 10 req/s of this traffic within ttft_p90<300ms; 20 req/s missed it and 22 met it",
        ),
        (["client lag", "errors"], ""),
        (["errors"], ""),
    ],
)
def test_a_late_client_leaves_a_search_its_lower_bound(failed, said):
    checks = [Check(name=name, result="fail", detail="99 % within 13 ms") for name in failed]
    found = SimpleNamespace(checks=checks, slo=slo_result(SEARCH), cost=None, energy=None)
    assert headline(found).startswith(said) and bool(headline(found)) == bool(said)
