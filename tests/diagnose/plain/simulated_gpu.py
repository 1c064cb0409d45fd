"""Traces in Kineto's format of a simulated host and GPU: every gap, copy and wait is known, because it was written.

The host has one clock. A launch takes the host a few microseconds; the work begins when its stream is free and the
launch has reached the device. A synchronising call returns when the stream is empty. Times are in microseconds.
"""

import gzip
import json
import random
from contextlib import contextmanager

LAUNCH, ARRIVES = 4.0, 3.0  # a launching call; from its start to the device
PAGEABLE, PINNED = 6_000.0, 50_000.0  # bytes per microsecond
SMALLEST_COPY = 2.0
MATH, SECOND = 7, 13  # streams


class Gpu:
    def __init__(self, seed=0, card="NVIDIA H100 80GB HBM3"):
        self.now, self.correlation, self.card = 1_000.0, 0, card
        self.events, self.free = [], {}
        self.noise = random.Random(seed)

    def host(self, us, name=None, category="cpu_op"):
        """Time of the host; without a name no profiler has a row for it: Python."""
        us *= self.noise.uniform(0.95, 1.05)
        if name:
            self._add(name, category, self.now, us)
        self.now += us

    @contextmanager
    def within(self, name, category="cpu_op", **args):
        begun, place = self.now, len(self.events)
        yield
        self.now += 1.0
        self._add(name, category, begun, self.now - begun, **args)
        self.events.insert(place, self.events.pop())

    def kernel(
        self, us, name="sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", stream=MATH, op=None, **args
    ):
        """Launch it; the operator around it is `op`, its Python costs 6 µs."""
        if op:
            with self.within(op, **args):
                self.host(3)
                self._launch("cudaLaunchKernel", name, "kernel", us, stream)
        else:
            self._launch("cudaLaunchKernel", name, "kernel", us, stream)

    def graph(self, kernels, stream=MATH):
        """One call launches them all; they have the number of that call."""
        number, begun = self._next(), self.now
        self._add("cudaGraphLaunch", "cuda_runtime", begun, 2 * LAUNCH, correlation=number)
        self.now += 2 * LAUNCH
        for name, us in kernels:
            start = max(self.free.get(stream, 0.0) + 1.0, begun + ARRIVES)
            self.free[stream] = start + us
            ids = {"device": 0, "stream": stream, "correlation": number, "graph node id": 1 + len(self.events)}
            row = {"ph": "X", "name": name, "cat": "kernel", "pid": 0, "tid": stream, "ts": start, "dur": us}
            self.events.append({**row, "args": ids})

    def copy(self, size, where="HtoD", memory="Pageable", stream=MATH, blocking=None):
        """From pageable memory the host stays in the call until the copy is done."""
        rate = PAGEABLE if memory == "Pageable" else PINNED
        way = f"{memory} -> Device" if where == "HtoD" else f"Device -> {memory}"
        with self.within("aten::copy_"):
            self.host(2)
            begun, us = self.now, max(SMALLEST_COPY, size / rate)
            end = self._launch("cudaMemcpyAsync", f"Memcpy {where} ({way})", "gpu_memcpy", us, stream, bytes=size)
            if memory == "Pageable" if blocking is None else blocking:
                self.now = max(self.now, end)
                self.events[-2]["dur"] = self.now - begun
                self.synchronise(stream)

    def synchronise(self, stream=MATH, call="cudaStreamSynchronize"):
        begun = self.now
        self.now = max(self.now + 2.0, self.free.get(stream, 0.0) + 4.0)
        self._add(call, "cuda_runtime", begun, self.now - begun, correlation=self._next())

    def item(self):
        with self.within("aten::item"), self.within("aten::_local_scalar_dense"):
            self.copy(4, "DtoH", blocking=False)
            self.synchronise()

    def malloc(self, us=300.0):
        self._add("cudaMalloc", "cuda_runtime", self.now, us, correlation=self._next())
        self.now += us

    def release(self, us=400.0):
        """cudaFree waits for the device."""
        begun = self.now
        self.now = max(self.now, *self.free.values(), 0.0) + us
        self._add("cudaFree", "cuda_runtime", begun, self.now - begun, correlation=self._next())

    def start(self, context_us=180_000.0, library_us=45_000.0):
        """The context, the first kernel with its module, the library of matrix products."""
        self._add("cudaFree", "cuda_runtime", self.now, context_us, correlation=self._next())
        self.now += context_us
        self.malloc(900)
        self._add("cuLibraryLoadData", "cuda_driver", self.now, 4_000.0, correlation=self._next())
        self.now += 4_000
        self.kernel(8, "distribution_elementwise_grid_stride_kernel", op="aten::normal_")
        self.host(library_us, "aten::mm")
        self.malloc(600)
        self.synchronise(call="cudaDeviceSynchronize")

    def write(self, path):
        content = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": 0, "name": self.card, "totalGlobalMem": 80 * 10**9}],
            "traceEvents": self.events,
        }
        path.write_bytes(gzip.compress(json.dumps(content).encode(), 1))
        return path

    def _launch(self, call, name, category, us, stream, **args):
        number, begun = self._next(), self.now
        self.now += LAUNCH
        start = max(self.free.get(stream, 0.0) + 1.0, begun + ARRIVES)
        us *= self.noise.uniform(0.98, 1.02)
        self.free[stream] = start + us
        self._add(call, "cuda_runtime", begun, LAUNCH, correlation=number)
        ids = {"device": 0, "stream": stream, "correlation": number, **args}
        self.events.append(
            {"ph": "X", "name": name, "cat": category, "pid": 0, "tid": stream, "ts": start, "dur": us, "args": ids}
        )
        return start + us

    def _add(self, name, category, start, us, **args):
        row = {"ph": "X", "name": name, "cat": category, "pid": 100, "tid": 100, "ts": start, "dur": us}
        self.events.append({**row, "args": args})

    def _next(self):
        self.correlation += 1
        return self.correlation
