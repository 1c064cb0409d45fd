"""What starting a kernel costs on a GPU: back to back, there and back, and from a captured graph.

The kernel is torch's own spin kernel for zero cycles: a launch through a thin binding, with next to no work in it.
"""

from collections.abc import Iterator

import torch

from perfproof.core.ceilings import Ceiling
from perfproof.peak.found import Found, attempt, duration
from perfproof.peak.plan import Plan
from perfproof.peak.timing import Call, host_samples

devices = ("cuda",)
measures = ("launch/back-to-back", "launch/latency", "launch/graph-node", "launch/graph")
timeout = 60

QUEUED = 500  # launches a synchronisation is spread over: below the driver's queue of about a thousand
NODES = 500


def probe(plan: Plan) -> Iterator[Found]:
    torch.cuda.set_device(plan.device)
    torch.cuda._sleep(0)
    torch.cuda.synchronize()
    for name, measure in {
        "launch/back-to-back": _back_to_back,
        "launch/latency": _round_trip,
        "launch/graph-node": _graph_node,
        "launch/graph": _graph,
    }.items():
        if plan.wants(name):
            yield from attempt(name, measure, plan)


def _back_to_back(plan: Plan) -> Ceiling:
    def call() -> None:
        for _ in range(QUEUED):
            torch.cuda._sleep(0)
        torch.cuda.synchronize()

    seconds = [one / QUEUED for one in host_samples(call, plan)]
    counted = f"host's clock over {QUEUED} launches of an empty kernel and one synchronisation, a launch"
    return duration("launch/back-to-back", seconds, counted, {"launches": QUEUED})


def _round_trip(plan: Plan) -> Ceiling:
    def call() -> None:
        torch.cuda._sleep(0)
        torch.cuda.synchronize()

    counted = "host's clock from an idle device: launch an empty kernel, wait for its end"
    return duration("launch/latency", host_samples(call, plan), counted)


def _graph_node(plan: Plan) -> Ceiling:
    replay = _captured(NODES)
    seconds = [one / NODES for one in host_samples(replay, plan)]
    counted = f"host's clock of a replay of {NODES} empty kernels in a row and its end, a kernel"
    return duration("launch/graph-node", seconds, counted, {"nodes": NODES})


def _graph(plan: Plan) -> Ceiling:
    counted = "host's clock from an idle device: replay a graph of one empty kernel, wait for its end"
    return duration("launch/graph", host_samples(_captured(1), plan), counted, {"nodes": 1})


def _captured(nodes: int) -> Call:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(nodes):
            torch.cuda._sleep(0)

    def replay() -> None:
        graph.replay()
        torch.cuda.synchronize()

    return replay
