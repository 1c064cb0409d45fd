"""What reaches the driver when a graph is built, updated and launched; and what is refused before it."""

import ctypes
import struct
from types import SimpleNamespace

import pytest
import torch
from cuda.bindings import driver as bindings

from perfproof import cuda
from perfproof.cuda import graphs

SUCCESS = bindings.CUresult.CUDA_SUCCESS
SOURCE = """
    __global__ void scale(const float* x, float* out, float factor) { out[threadIdx.x] = x[threadIdx.x] * factor; }
"""


class RecordedGraphs:
    """Driver calls of graphs, on top of those that `device` records."""

    def __init__(self, recorder):
        self._recorder, self.nodes, self.updates, self.launches, self.loops = recorder, [], [], [], []
        self.instances = 0

    def __getattr__(self, name):
        if name.endswith("_v2"):  # the bindings of CUDA 13 have no second name
            raise AttributeError(name)
        return getattr(self._recorder, name)

    def cuGraphCreate(self, flags):
        return SUCCESS, bindings.CUgraph(1)

    def cuGraphAddKernelNode(self, graph, before, count, node):
        self.nodes.append((int(graph), [int(one) for one in before], self._read(node)))
        return SUCCESS, bindings.CUgraphNode(len(self.nodes))

    def cuGraphConditionalHandleCreate(self, graph, context, default, flags):
        assert (int(graph), default, flags) == (1, 1, 1)  # of the whole graph, true at each launch
        return SUCCESS, bindings.CUgraphConditionalHandle(77)

    def cuGraphAddNode(self, graph, before, edges, count, wanted):
        self.loops.append((int(graph), [int(one) for one in before], wanted.conditional.type.name))
        assert int(wanted.conditional.handle) == 77
        return SUCCESS, bindings.CUgraphNode(99)

    def cuGraphInstantiate(self, graph, flags):
        self.instances += 1
        return SUCCESS, bindings.CUgraphExec(5)

    def cuGraphExecKernelNodeSetParams(self, ready, node, wanted):
        self.updates.append((int(ready), int(node), self._read(wanted)))
        return (SUCCESS,)

    def cuGraphLaunch(self, ready, stream):
        self.launches.append((int(ready), int(stream)))
        return (SUCCESS,)

    def cuGraphExecDestroy(self, ready):
        return (SUCCESS,)

    cuGraphDestroy = cuGraphExecDestroy

    def _read(self, node):
        assert int(node.func) == 42
        places = ctypes.cast(int(node.kernelParams), ctypes.POINTER(ctypes.c_void_p))
        x, out = (struct.unpack("<Q", ctypes.string_at(places[at], 8))[0] for at in (0, 1))
        (factor,) = struct.unpack("<f", ctypes.string_at(places[2], 4))
        return node.gridDimX, node.blockDimX, node.sharedMemBytes, x, out, factor


@pytest.fixture
def recorded(device, monkeypatch):
    recorder = RecordedGraphs(device(8, 8, 4))
    monkeypatch.setattr(graphs, "driver", lambda: recorder)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=99))
    return recorder


@pytest.fixture
def scale(write):
    return cuda.source(write(SOURCE)).scale


def test_launches_are_nodes_in_order_each_with_its_own_arguments(recorded, scale):
    x, out, graph = torch.ones(4), torch.empty(4), cuda.Graph()
    graph.add(scale, x, out, 2, grid=3, block=64, shared=16)
    graph.add(scale, out, x, 3, grid=1, block=32)
    assert recorded.nodes == [
        (1, [], (3, 64, 16, x.data_ptr(), out.data_ptr(), 2.0)),
        (1, [1], (1, 32, 0, out.data_ptr(), x.data_ptr(), 3.0)),
    ]


def test_a_graph_is_instantiated_once_and_launched_on_the_current_stream(recorded, scale):
    x, graph = torch.ones(4), cuda.Graph()
    graph.add(scale, x, x, 2, grid=1, block=4)
    graph.launch()
    graph.launch()
    assert recorded.launches == [(5, 99), (5, 99)] and recorded.instances == 1


def test_an_update_reaches_its_node_and_keeps_its_tensors_alive(recorded, scale):
    x, other, out, graph = torch.ones(4), torch.ones(4), torch.empty(4), cuda.Graph()
    node = graph.add(scale, x, out, 2, grid=3, block=64)
    graph.update(node, other, out, 7)
    assert recorded.updates == [(5, 1, (3, 64, 0, other.data_ptr(), out.data_ptr(), 7.0))]
    assert node.arguments[0] is other


def test_a_loop_is_a_while_node_and_what_follows_waits_for_it(recorded, scale):
    x, graph = torch.ones(4), cuda.Graph()
    graph.add(scale, x, x, 1, grid=1, block=4)
    loop = graph.add_loop()
    loop.add(scale, x, x, 2, grid=1, block=4)
    graph.add(scale, x, x, 3, grid=1, block=4)
    assert recorded.loops == [(1, [1], "CU_GRAPH_COND_TYPE_WHILE")]
    assert loop.condition == 77
    inside, after = recorded.nodes[1:]
    assert inside[:2] == (0, [])  # the body that the driver gave, which is null here
    assert after[:2] == (1, [99])


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda graph, scale, x: graph.add(scale, x, grid=1, block=4), "argument"),
        (lambda graph, scale, x: graph.add(scale, x, x, 1, grid=0, block=4), "empty"),
        (lambda graph, scale, x: graph.add(scale, x, x, 1, grid=1, block=4_096), "threads"),
        (lambda graph, scale, x: graph.add_loop().launch(), "part of"),
        (lambda graph, scale, x: (graph.launch(), graph.add(scale, x, x, 1, grid=1, block=4)), "before"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(recorded, scale, wrong, word):
    with pytest.raises(cuda.CudaError, match=word) as caught:
        wrong(cuda.Graph(), scale, torch.ones(4))
    assert "\n" not in str(caught.value)


def test_without_a_gpu_a_graph_says_what_it_needs():
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(cuda.CudaError, match="GPU"):
        cuda.Graph()
