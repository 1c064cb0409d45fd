"""Every step does more than the one before: it computes again what was computed already.

Five signs without a GPU, the third of them with one as well.
A backward pass has more operators than the last: it goes through the steps before. Or
backward passes that are alike follow each other, with next to nothing computed between them: one graph, many times. Or
an operator with the same weights gets an input that is longer by the same amount each time, as if every new token is
computed with all tokens before it. With a cache the weights meet one token at a time, and nothing grows. Or a
line goes through a list, a text or an array that is longer each time: see perfproof/profile/children/running_text.py.
Or sampled frames show that tokens are computed again: see longer_tokens.py in the same folder.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise
from statistics import median

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import cpu_traces, host, sampled
from perfproof.diagnose.cpu_traces import BACKWARD
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.launched import device_share
from perfproof.diagnose.tensors import Shape, nested_shapes, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short
from perfproof.profile.children.longer_tokens import LONGER
from perfproof.profile.children.running_text import GROWS
from perfproof.profile.idle_causes import TO_DEVICE
from perfproof.profile.intervals import total

FEWEST = 8  # passes, or calls with an input of another length
RISES = 0.8  # of the changes
FEWEST_ADDED, ALIKE = 2, 0.1  # times that a pass became longer, by amounts that differ no more than this
LITTLE = 0.1  # of the time of a pass backwards: a pass forwards takes about half of it
MUCH, MOST = 0.20, 0.40  # of the time
PREFIX = "the whole prefix is computed again for each token"
AGAIN = "what was computed before is computed again"
WEIGHTED = {"aten::linear": 0, "aten::matmul": 0, "aten::mm": 0, "aten::addmm": 1}  # where the input is
FEW_ROWS = 0.05  # of the rows
CACHE = "keep keys and values per layer (a cache; use_cache=True of generate()) and run the model on the new token only"
KEEP_WHAT_STAYS = "keep what does not change (a cache of keys and values per layer) and compute only what is new"


def find(evidence: Evidence) -> Finding | Abstained | None:
    found = cpu_traces.strongest(evidence, "growing_work", _judge)
    others = [] if evidence.uses_gpu else [_tokens(evidence), _container(evidence)]
    on_device = [_longer_on_device(trace) for trace in evidence.device_traces]
    every = [one for one in (found, *others, *on_device) if isinstance(one, Finding)]
    return max(every, key=lambda one: one.share or 0.0, default=found)


def _tokens(evidence: Evidence) -> Finding | None:
    found = sampled.growing(evidence, LONGER)
    if found is None or found[1].share <= MUCH:
        return None
    (place, _, name), lines = found[0].partition(") "), found[1]
    text = (
        f"for {percent(lines.share)} of the time a model computes all of `{name}`, which is longer each time and "
        f"begins as before, in what {place}) calls: {lines.listed()}"
    )
    return _finding(
        AGAIN, Proof(text=text, place=f"{place})", values={"share": lines.share}), lines.share, KEEP_WHAT_STAYS
    )


def _container(evidence: Evidence) -> Finding | None:
    found = sampled.growing(evidence, GROWS)
    if found is None or found[1].share <= MUCH:
        return None
    (place, _, text), lines = found[0].partition(") "), found[1]
    return _finding(
        "a long container is gone through again and again",
        Proof(
            text=f"for {percent(lines.share)} of the time the program is at or beside {place}) `{text}`, which goes "
            f"through all of a container that is long or grows: {lines.listed()}",
            place=f"{place})",
            values={"share": lines.share},
        ),
        lines.share,
        "keep a running result; a set or a dictionary to search in; collections.deque, or a place that moves on, to "
        "take from the front; a list to take elements by their places; collect parts in a list and join them once; "
        "sort an array by its groups once (argsort, bincount, unique with return_inverse)",
    )


def _judge(trace: Trace) -> Finding | None:
    signs = (_more_operators(trace), _one_graph(trace), _longer_inputs(trace))
    found = [one for one in signs if one is not None]
    return max(found, key=lambda one: one.share or 0.0, default=None)


def _more_operators(trace: Trace) -> Finding | None:
    """What a pass has more than the one before is a step's own; the rest is history."""
    runs = _rising(_backward_passes(trace))
    counts = max(runs, key=len, default=[])
    added = [after - before for run in runs for before, after in pairwise(run)]
    step = median(added) if added else 0
    if len(counts) <= FEWEST_ADDED or step <= 0 or max(abs(one - step) for one in added) > ALIKE * step:
        return None
    text = (
        f"{len(counts)} backward passes in a row have {step:.0f} operators more each, from {counts[0]} to {counts[-1]}"
    )
    share = 1 - step / counts[-1]
    return _finding(
        "every backward pass is longer than the one before",
        Proof(text=text, place=trace.label, values={"first": float(counts[0]), "last": float(counts[-1])}),
        share if len(counts) >= FEWEST else min(share, MOST),
        "the graph grows: detach what is carried over from step to step (state.detach()), and keep no graph "
        "(retain_graph)",
    )


def _one_graph(trace: Trace) -> Finding | None:
    """Training computes a graph forwards before each pass backwards; here that is missing."""
    series: list[list[list[int]]] = [[]]
    between = 0.0
    for backward, rows in _passes(trace):
        before, time = series[-1][-1] if series[-1] else None, total(trace.covered(rows))
        if not backward:
            between = time
        elif before and between <= LITTLE * time and abs(len(rows) - len(before)) <= ALIKE * len(rows):
            series[-1].append(rows)
        else:
            series.append([rows])
    again = [one for one in series if len(one) >= FEWEST and len(one[0]) >= FEWEST]
    repeated = [row for one in again for rows in one[1:] for row in rows]
    share = trace.share(total(trace.covered(repeated))) if repeated else 0.0
    if share <= MUCH:
        return None
    longest = max(again, key=len)
    text = (
        f"{len(longest)} backward passes of {len(longest[0])} operators follow each other, and next to nothing is "
        f"computed between them; all but the first of such passes take {percent(share)} of the time"
    )
    return _finding(
        "one graph is gone through backwards again and again",
        Proof(text=text, place=trace.place(longest[0][0]), values={"share": share}),
        share,
        "one pass for all outputs: the gradient of their sum if each has its own inputs; else torch.func.vmap, jacrev "
        "or is_grads_batched=True",
    )


def _rising(counts: Sequence[int]) -> list[list[int]]:
    """Split where a pass is shorter than the one before: a graph begins anew, with the next document for instance."""
    runs: list[list[int]] = []
    for count in counts:
        if runs and count >= runs[-1][-1]:
            runs[-1].append(count)
        else:
            runs.append([count])
    return runs


def _backward_passes(trace: Trace) -> list[int]:
    """Operators of each that the recording has, by time. What repeats does not help: a turn may be part of a pass."""
    return [len(rows) for backward, rows in _passes(trace) if backward]


def _passes(trace: Trace) -> list[tuple[bool, list[int]]]:
    """The outermost operators by time, in groups: is it a pass backwards, and its rows."""
    rows = host.outermost_rows(trace.events, host.main_thread(trace))
    groups = groupby(rows, lambda row: trace.events.name(row).startswith(BACKWARD))
    return [(backward, list(own)) for backward, own in groups]


def _longer_inputs(trace: Trace) -> Finding | None:
    calls: dict[tuple[str, tuple[Shape, ...]], list[tuple[int, Shape]]] = defaultdict(list)
    for row in host.outermost_operators(trace):
        shapes = shapes_of(trace, row)
        if len(shapes) > 1:
            calls[trace.events.name(row), tuple(shapes[1:])].append((row, shapes[0]))
    growing = {key: own for key, own in calls.items() if _grow([shape for _, shape in own])}
    share = trace.share(total(trace.covered([row for own in growing.values() for row, _ in own])))
    if share <= MUCH:
        return None
    (name, _), own = max(growing.items(), key=lambda one: len(one[1]))
    text = f"{short(name)} is called with the same weights and an input that grows each time, from "
    text += f"{list(own[0][1])} to {list(own[-1][1])}; such calls take {percent(share)} of the time"
    return _finding(
        AGAIN,
        Proof(text=text, place=trace.place(own[0][0]), values={"share": share}),
        share,
        KEEP_WHAT_STAYS,
    )


def _longer_on_device(trace: Trace) -> Finding | None:
    """Products with the same weights, in a program that does not train, whose input is one token longer each time.

    Batches that are sorted by length may grow so too: a token that is put at the end tells, or that nothing is fed.
    """
    if cpu_traces.trains(trace):
        return None
    calls: dict[tuple[str, Shape], list[tuple[int, Shape]]] = defaultdict(list)
    for row in host.outermost_operators(trace):
        name = trace.events.name(row)
        shapes = shapes_of(trace, row)[WEIGHTED[name] :] if name in WEIGHTED else []
        if len(shapes) > 1 and len(shapes[0]) > 1 and len(shapes[1]) == 2:
            calls[name, shapes[1]].append((row, shapes[0]))
    growing = [own for own in calls.values() if _grow_by_a_token([shape for _, shape in own])]
    share = device_share(trace, [row for own in growing for row, _ in own]) if growing else 0.0
    if share <= MUCH:
        return None
    own = max(growing, key=len)
    shapes = [shape for _, shape in own]
    lengths = sum(1 for before, after in pairwise(shapes) if before != after)
    fed = sum(1 for row in trace.rows(Kind.COPY) if TO_DEVICE.search(trace.events.name(row)))
    appends = 2 * _appended(trace) >= lengths
    if not appends and 2 * fed >= lengths:
        return None
    text = (
        f"{short(trace.events.name(own[0][0]))} is called with the same weights and an input that is a token longer "
        f"each time, from {list(min(shapes))} to {list(max(shapes))}; such products take {percent(share)} of the step"
    )
    found = _finding(PREFIX, Proof(text=text, place=trace.place(own[0][0]), values={"share": share}), share, CACHE)
    return found if appends else found.model_copy(update={"confidence": "medium"})


def _grow_by_a_token(shapes: Sequence[Shape]) -> bool:
    """By one in the dimension of tokens; where batch and tokens are one dimension, by little."""
    if not _grow(shapes):
        return False
    changes = [_added(before, after) for before, after in pairwise(shapes) if before != after]
    usual = max(set(changes), key=changes.count)
    if usual is None or usual[0] == len(shapes[0]) - 1:
        return False
    place, added = usual
    return added == 1 if len(shapes[0]) > 2 else added <= FEW_ROWS * min(shapes)[place]


def _appended(trace: Trace) -> int:
    """How often one token is put behind those that there are: a table of tokens has two dimensions at most."""
    found = 0
    for row in trace.rows(Kind.OPERATOR):
        if trace.events.name(row) == "aten::cat":
            match list(nested_shapes(trace.args(row).get("Input Dims"))):
                case [old, new] if len(old) == len(new) <= 2 and old[-1] > new[-1] == 1 and old[:-1] == new[:-1]:
                    found += 1
    return found


def _grow(shapes: Sequence[Shape]) -> bool:
    """By the same amount in one dimension, nearly each time that the shape changes."""
    changes = [_added(before, after) for before, after in pairwise(shapes) if before != after]
    usual = max(set(changes), key=changes.count, default=None)
    return usual is not None and len(changes) >= FEWEST and changes.count(usual) >= RISES * len(changes)


def _added(before: Shape, after: Shape) -> tuple[int, int] | None:
    """Which dimension grew, and by how much; None if that is not all that changed."""
    differ = [place for place in range(len(after)) if len(before) == len(after) and before[place] != after[place]]
    return (differ[0], after[differ[0]] - before[differ[0]]) if len(differ) == 1 and after > before else None


def _finding(title: str, proof: Proof, share: float, advice: str) -> Finding:
    return Finding(
        rule="growing_work",
        title=title,
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[proof],
        share=share,
        advice=advice,
        experiment=COMPARE_CHANGE,
        refuted_by="the answer needs all of that work again",
        basis="facts",
    )
