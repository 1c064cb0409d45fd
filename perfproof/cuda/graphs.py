"""Graphs of kernel launches, built node by node: arguments can be exchanged later, and a loop can end on the device.

    graph = cuda.Graph()
    first = graph.add(kernels.measure, x, sums, grid=64, block=256)
    graph.add(kernels.smooth, sums, out, grid=1, block=256)
    graph.launch()                       # on torch's current stream; does not wait
    graph.update(first, other, sums)     # the next launch reads `other`

torch.cuda.CUDAGraph captures what torch launches; it has neither of the two.
"""

import contextlib
from dataclasses import dataclass
from typing import Any

from perfproof.cuda.bindings import call, driver
from perfproof.cuda.errors import CudaError
from perfproof.cuda.kernels import Extent, Kernel

ASSIGN_AT_LAUNCH = 1  # the condition is true again whenever the graph is launched


@dataclass
class Node:
    """One launch of a graph. Its tensors stay alive as long as the graph reads them."""

    handle: Any
    kernel: Kernel
    asked: tuple
    arguments: tuple


class Graph:
    """Launches in order: each one waits for the one before it."""

    def __init__(self) -> None:
        import torch  # not before a graph is made: a compile check does without it

        from perfproof.cuda.launching import make_current

        if not torch.cuda.is_available():
            raise CudaError("a graph of kernels needs a GPU, and torch sees none here")
        torch.cuda.init()
        self._current_stream = torch.cuda.current_stream
        make_current(torch.cuda.current_device())
        self._own = self._graph = call("an empty graph", driver().cuGraphCreate(0))
        self._top: Graph = self
        self._nodes: list[Node] = []
        self._last: Any = None
        self._ready: Any = None
        self.condition = 0

    def add(self, kernel: Kernel, *arguments: Any, grid: Extent, block: Extent, shared: int = 0) -> Node:
        asked = (grid, block, shared, None, False, False)
        before = [self._last] if self._last is not None else []
        what = f"{kernel.file.name}: {kernel.name} in a graph"

        def add_node(parameters: Any) -> Any:
            return call(what, driver().cuGraphAddKernelNode(self._graph, before, len(before), parameters))

        self._open_for_nodes()
        node = Node(kernel.as_node(arguments, asked, add_node), kernel, asked, arguments)
        self._last = node.handle
        self._nodes.append(node)
        return node

    def add_loop(self) -> "Graph":
        """A part that runs once, and again while its kernels set its `condition` to a value other than 0.

        `condition` is an `unsigned long long` for the kernel, which calls `cudaGraphSetConditional(condition, value)`.
        """
        self._open_for_nodes()
        api = driver()
        context = call("the current context", api.cuCtxGetCurrent())
        what = "a loop in a graph (needs CUDA 12.4 or newer)"
        condition = call(what, api.cuGraphConditionalHandleCreate(self._top._graph, context, 1, ASSIGN_AT_LAUNCH))
        wanted = api.CUgraphNodeParams()
        wanted.type = api.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
        wanted.conditional.handle = condition
        wanted.conditional.type = api.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_WHILE
        wanted.conditional.size = 1
        wanted.conditional.ctx = context
        before = [self._last] if self._last is not None else []
        add_node = getattr(api, "cuGraphAddNode_v2", api.cuGraphAddNode)  # bindings of CUDA 12 have both
        self._last = call(what, add_node(self._graph, before, None, len(before), wanted))
        return _body(self._top, api.CUgraph(int(wanted.conditional.phGraph_out[0])), int(condition))

    def update(self, node: Node, *arguments: Any) -> None:
        """Other arguments for one launch of a graph that stays as it is."""
        ready, what = self._instance(), f"{node.kernel.file.name}: {node.kernel.name}: other arguments"

        def set_parameters(parameters: Any) -> None:
            call(what, driver().cuGraphExecKernelNodeSetParams(ready, node.handle, parameters))

        node.kernel.as_node(arguments, node.asked, set_parameters)
        node.arguments = arguments

    def launch(self) -> None:
        """On torch's current stream; does not wait."""
        ready = self._instance()
        stream = driver().CUstream(self._current_stream().cuda_stream)
        call("a graph could not be launched", driver().cuGraphLaunch(ready, stream))

    def _instance(self) -> Any:
        if self is not self._top:
            raise CudaError("a loop is launched and updated with the graph that it is part of")
        if self._ready is None:
            self._ready = call("a graph could not be instantiated", driver().cuGraphInstantiate(self._graph, 0))
        return self._ready

    def _open_for_nodes(self) -> None:
        if self._top._ready is not None:
            raise CudaError("the graph has been launched: add all nodes before")

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # at the end of the interpreter the driver may be gone
            if self._ready is not None:
                driver().cuGraphExecDestroy(self._ready)
            if self._own is not None:
                driver().cuGraphDestroy(self._own)


def _body(top: Graph, graph: Any, condition: int) -> Graph:
    """The graph inside of a loop: it belongs to the node, and its nodes are kept by the graph around it."""
    body = Graph.__new__(Graph)
    body._own, body._graph, body._top, body._nodes = None, graph, top, top._nodes
    body._last, body._ready, body.condition = None, None, condition
    return body
