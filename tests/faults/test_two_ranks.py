"""Overlap, waits and the straggler of two gloo ranks, where cause and effect tell what they must be.

`known_overlap.py`: rank 0 starts an all-reduce, computes beside it and lets rank 1 begin, which computes and joins.
"""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.collectives import collectives, communicating, computing, exposed_waits
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import gather
from perfproof.profile.intervals import difference, intersection, total

CLOCKS_NS = 2_000_000  # how far the clocks of two profilers on one machine may be apart


@pytest.fixture(scope="module")
def evidence(planted):
    folder, said = planted
    paths = [folder / "known_overlap" / f"rank{rank}.json.gz" for rank in range(2)]
    assert all(path.exists() for path in paths), said[-2000:]
    return gather(paths)


def products(trace):
    """(start, end) of the one product in each steady step, in order."""
    rows = [row for row in trace.rows(Kind.OPERATOR) if trace.events.name(row) == "aten::mm"]
    assert len(rows) == len(trace.steps)
    return [(trace.events.start_ns[row], trace.events.end_ns[row]) for row in rows]


def meetings(trace):
    rows = [row for row in trace.rows(Kind.RANGE) if trace.events.name(row) == "gloo:all_reduce"]
    assert len(rows) == len(trace.steps)
    return [(trace.events.start_ns[row], trace.events.end_ns[row]) for row in rows]


def test_the_files_say_their_ranks(evidence):
    assert [trace.label for trace in evidence.traces] == ["rank 0", "rank 1"]


def test_a_product_beside_the_collective_hides_it_and_the_rest_is_exposed(evidence):
    first = evidence.traces[0]
    pairs = list(zip(products(first), meetings(first), strict=True))
    assert all(meeting[1] > product[1] for product, meeting in pairs)  # it cannot end before rank 1 has begun
    hidden = sum(max(0, product[1] - max(product[0], meeting[0])) for product, meeting in pairs)
    talking, busy = communicating(first), computing(first)
    assert total(intersection(talking, busy)) == pytest.approx(hidden, rel=0.01)
    exposed = sum(meeting[1] - meeting[0] for _, meeting in pairs) - hidden
    assert total(difference(talking, busy)) == pytest.approx(exposed, rel=0.01)


def test_the_straggler_is_the_rank_that_computes_while_the_other_waits(evidence):
    met = collectives(evidence.traces)
    assert len(met) == len(evidence.traces[0].steps)
    assert {one.last_rank for one in met} == {1}
    waited, nothing = exposed_waits(evidence.traces, met)
    least = sum(end - start for start, end in products(evidence.traces[1]))
    assert total(waited) >= least - len(met) * CLOCKS_NS
    assert nothing == []


def test_the_diagnosis_names_the_straggler_and_its_share(evidence):
    finding = diagnose(evidence).findings[0]
    first = evidence.traces[0]
    waits = exposed_waits(evidence.traces, collectives(evidence.traces))[0]
    assert finding.rule == "straggler" and finding.title == "the others wait for rank 1"
    assert finding.share == pytest.approx(first.share(total(waits)))


def test_one_rank_alone_cannot_name_a_straggler(planted):
    folder, _ = planted
    diagnosis = diagnose(gather([folder / "straggler_rank" / "rank0.json.gz"]))
    assert "straggler" in [one.rule for one in diagnosis.abstained]
    exposed = next(one for one in diagnosis.findings if one.rule == "comm_exposed")
    assert exposed.confidence == "medium" and "only one rank" in exposed.evidence[1].text
