"""Seconds of a collective by size: ring, tree and two levels, each with a latency and a bandwidth term.

ring    all-reduce 2(n-1)·α + 2(n-1)/n·S/β; all-gather, reduce-scatter, all-to-all (n-1)·α + (n-1)/n·S/β;
        broadcast (n-1)·α + S/β
tree    all-reduce 2·⌈log2 n⌉·α + 2·S/β; broadcast ⌈log2 n⌉·α + S/β
levels  all-reduce over N nodes of g GPUs: reduce-scatter in the node, all-reduce of S/g between nodes, all-gather:
        2(g-1)·α + 2(g-1)/g·S/β + 2(N-1)·α' + 2(N-1)/N·S/(g·β')
bus     S/t times 2(n-1)/n (all-reduce), (n-1)/n (the others), 1 (broadcast): comparable over n, at most the link

n ranks, S bytes of the whole buffer (all-gather: of what is gathered; all-to-all: of what one rank sends), α latency of
a message, β bytes per second and direction of a GPU; α', β' the same between nodes. Over nodes a flat ring is bound by
min(β, g·β'), because each of g NICs carries a part of the rings.
"""

import math
from dataclasses import dataclass
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Table, Value
from perfproof.core.errors import UsageError

KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast")
SIZES = (1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 26, 1 << 30)


@dataclass(frozen=True)
class Network:
    """`nodes` of `per_node` GPUs; latencies in seconds, rates in bytes per second and direction of one GPU."""

    nodes: int
    per_node: int
    latency: float
    rate: float
    node_latency: float
    node_rate: float

    @property
    def ranks(self) -> int:
        return self.nodes * self.per_node


def calculate(
    ranks: Annotated[int, Flag("Number of GPUs that take part.", "N", least=2)],
    size: Annotated[float, Flag("Size of the whole buffer in bytes: 64Mi, 1e9.", "B", above=0)],
    link_gb_s: Annotated[float, Flag("Bandwidth from a GPU to its neighbours, per direction.", "GB/S", above=0)],
    collective: Annotated[
        str, Flag("Collective: all-reduce, all-gather, reduce-scatter, all-to-all or broadcast.", "NAME")
    ] = KINDS[0],
    link_us: Annotated[float, Flag("Latency of a message, in µs.", "US", least=0)] = 0.0,
    node_size: Annotated[int | None, Flag("GPUs per node. [default: all ranks]", "G", least=1)] = None,
    node_link_gb_s: Annotated[
        float | None, Flag("Bandwidth between nodes, per GPU and direction.", "GB/S", above=0)
    ] = None,
    node_link_us: Annotated[
        float | None, Flag("Latency of a message between nodes, in µs. [default: --link-us]", "US", least=0)
    ] = None,
    measured_us: Annotated[
        float | None, Flag("Measured time of the collective in µs, to compare with the formula.", "US", above=0)
    ] = None,
) -> Answer:
    if collective not in KINDS:
        raise UsageError(f"--collective {collective!r} is unknown: choose {', '.join(KINDS)}")
    network = _network(ranks, link_gb_s, link_us, node_size, node_link_gb_s, node_link_us)
    times = seconds(collective, size, network)
    best = min(times, key=lambda name: times[name])
    values = [Value(f"{name}_seconds", time, "s", _terms(collective, name, network)) for name, time in times.items()]
    values += [
        Value("best", best, "", "the shortest of them"),
        Value("algorithm_bandwidth", size / times[best] / 1e9, "GB/s", "S/t"),
        Value("bus_bandwidth", bus(collective, size, times[best], ranks) / 1e9, "GB/s", "comparable with the link"),
    ]
    if collective == "all-reduce":
        values.append(_crossover(network))
    if measured_us is not None:
        values.append(
            Value("share_reached", times[best] * 1e6 / measured_us, "share", "the formula over what is measured")
        )
    rows = tuple((one, *seconds(collective, one, network).values()) for one in SIZES)
    columns = (("size", "B"), *((name, "s") for name in times))
    warnings = () if link_us else ("no --link-us: small messages take longer than said here",)
    headline = f"{collective} of {size:,.0f} bytes over {ranks} GPUs: {times[best] * 1e6:,.1f} µs by {best}"
    return Answer(headline, tuple(values), (Table("by size", columns, rows),), warnings)


def _network(
    ranks: int, link: float, latency: float, per_node: int | None, node_link: float | None, node_latency: float | None
) -> Network:
    per_node = per_node or ranks
    if ranks % per_node:
        raise UsageError(f"--node-size {per_node} does not divide {ranks} ranks")
    if ranks > per_node and node_link is None:
        raise UsageError("ranks on several nodes need --node-link-gb-s, the rate between nodes per GPU")
    between = latency if node_latency is None else node_latency
    return Network(ranks // per_node, per_node, latency / 1e6, link * 1e9, between / 1e6, (node_link or link) * 1e9)


def seconds(collective: str, size: float, network: Network) -> dict[str, float]:
    """By algorithm; those that a collective does not have are left out."""
    many = network.nodes > 1
    latency = max(network.latency, network.node_latency) if many else network.latency
    rate = min(network.rate, network.per_node * network.node_rate) if many else network.rate
    ranks, deep = network.ranks, math.ceil(math.log2(network.ranks))
    if collective == "broadcast":
        return {"ring": (ranks - 1) * latency + size / rate, "tree": deep * latency + size / rate}
    one_way = (ranks - 1) * latency + (ranks - 1) / ranks * size / rate
    if collective != "all-reduce":
        return {"ring": one_way}
    found = {"ring": 2 * one_way, "tree": 2 * deep * latency + 2 * size / rate}
    if many:
        found["levels"] = _levels(size, network)
    return found


def _levels(size: float, network: Network) -> float:
    inside, nodes = network.per_node, network.nodes
    in_node = 2 * (inside - 1) * network.latency + 2 * (inside - 1) / inside * size / network.rate
    return (
        in_node + 2 * (nodes - 1) * network.node_latency + 2 * (nodes - 1) / nodes * size / inside / network.node_rate
    )


def bus(collective: str, size: float, time: float, ranks: int) -> float:
    factor = {"all-reduce": 2 * (ranks - 1) / ranks, "broadcast": 1.0}.get(collective, (ranks - 1) / ranks)
    return size / time * factor


def _terms(collective: str, name: str, network: Network) -> str:
    rest = seconds(collective, 1e-12, network)[name]
    return f"{rest * 1e6:.3g} µs of it latency"


def _crossover(network: Network) -> Value:
    """Ring and tree take the same where 2(n - 1 - ⌈log2 n⌉)·α = 2·S/(n·β)."""
    ranks = network.ranks
    many = network.nodes > 1
    latency = max(network.latency, network.node_latency) if many else network.latency
    rate = min(network.rate, network.per_node * network.node_rate) if many else network.rate
    size = (ranks - 1 - math.ceil(math.log2(ranks))) * latency * ranks * rate
    return Value("ring_from_size", max(0.0, size), "B", "from there a ring beats a tree")
