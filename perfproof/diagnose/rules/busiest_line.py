"""Without a GPU: where the time is, if nothing else is known. Never above low: it may be what the program is for."""

import re

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, percent

TAKES = 0.25  # of the time
ADVICE = "look at this line first: is it needed each time, with so much data, in this type?"
HINTS = (  # what the running part of a line looks like, and what is often cheaper
    (
        re.compile(r"\b(svd|eigh?|eigvalsh?|pinv|inv|inverse|qr|lstsq|det|slogdet|expm|cholesky)\("),
        "keep the decomposition if its matrix stays; compute only the leading parts (svds, eigsh, svd_lowrank); solve "
        "instead of inverting",
    ),
    (
        re.compile(r"\b(sort|sorted|argsort|unique|median|percentile|quantile)\("),
        "partition, topk or heapq.nlargest if not all of the order is needed; keep the order if the data stay",
    ),
    (
        re.compile(r"\bchoices?\(.*\b(p|weights)="),
        "the weights are summed for each call: draw many at once, or keep their cumulative sum and search in it",
    ),
    (
        re.compile(r"\b(vectorize|apply_along_axis|apply|iterrows|fromiter)\("),
        "compute whole arrays: a Python function per element or row is slow",
    ),
    (re.compile(r"\b(cdist|pdist|distance_matrix)\("), "a tree or a grid (cKDTree) if only near pairs are needed"),
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    lines = None if evidence.device_traces else sampled.busiest(evidence)
    if not sampled.working_samples(evidence):
        return Abstained(rule="busiest_line", missing=HOW)
    if lines is None or lines.lines[0][1] <= TAKES:
        return None
    share = lines.lines[0][1]
    return Finding(
        rule="busiest_line",
        title="most of the time is at few lines",
        confidence="low",
        evidence=[
            Proof(
                text=f"{percent(lines.share)} of the time is at lines of the program, most at {lines.listed()}",
                place=lines.lines[0][0],
                values={"share": share},
            )
        ],
        share=share,
        advice=next((hint for pattern, hint in HINTS for text in lines.texts[:1] if pattern.search(text)), ADVICE),
        experiment=COMPARE_CHANGE,
        refuted_by="without this line the program takes as long",
        basis="facts",
    )
