"""NVIDIA's own metrics evaluator, asked about a chip that need not be here: which counters it has, how many passes.

`libnvperf_host.so` (in the wheel nvidia-cuda-cupti, in Triton's wheel, in the CUDA toolkit) builds an evaluator for a
virtual chip, with no GPU and no driver. The shipped lists and pass counts are made with it by `ncu_counter_lists`;
nothing at run time needs it. How often ncu then really runs a kernel is `selection.made`.
"""

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, Structure, byref, c_char_p, c_size_t, c_uint8, c_uint16, c_void_p
from pathlib import Path
from typing import Any

from perfproof.core.errors import PerfproofError

KINDS = ("counter", "ratio", "throughput")
PROFILER = 1  # NVPA_ACTIVITY_KIND_PROFILER


class Request(Structure):
    _fields_ = [("index", c_size_t), ("kind", c_uint8), ("rollup", c_uint8), ("submetric", c_uint16)]


class RawRequest(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("private", c_void_p),
        ("name", c_char_p),
        ("isolated", c_uint8),
        ("keep_instances", c_uint8),
    ]


REQUEST_SIZE = Request.submetric.offset + Request.submetric.size
RAW_REQUEST_SIZE = RawRequest.keep_instances.offset + RawRequest.keep_instances.size


def _call(library: ctypes.CDLL, name: str, **fields: Any) -> Any:
    """Every function takes one structure that begins with its own size and a null pointer."""
    given = [("size", c_size_t(0)), ("private", c_void_p()), *fields.items()]
    layout = [(field, type(value)) for field, value in given]
    parameters = type("Parameters", (Structure,), {"_fields_": layout})(*(value for _, value in given))
    last = getattr(type(parameters), given[-1][0])
    parameters.size = last.offset + last.size
    status = getattr(library, f"NVPW_{name}")(byref(parameters))
    if status:
        raise PerfproofError(f"libnvperf_host: {name} answered with status {status}")
    return parameters


class Evaluator:
    """One virtual chip: `GH100`, `GB100`."""

    def __init__(self, path: Path, chip: str):
        self.library, self.chip = ctypes.CDLL(str(path)), chip.encode()
        _call(self.library, "InitializeHost")
        size = _call(
            self.library,
            "CUDA_MetricsEvaluator_CalculateScratchBufferSize",
            chip=c_char_p(self.chip),
            availability=c_void_p(),
            bytes=c_size_t(),
        ).bytes
        self.scratch = (c_uint8 * size)()  # the evaluator lives in it
        self.handle = _call(
            self.library,
            "CUDA_MetricsEvaluator_Initialize",
            scratch=ctypes.cast(self.scratch, c_void_p),
            bytes=c_size_t(size),
            chip=c_char_p(self.chip),
            availability=c_void_p(),
            image=c_void_p(),
            image_bytes=c_size_t(),
            evaluator=c_void_p(),
        ).evaluator

    def names(self) -> dict[str, str]:
        """Base name -> counter, ratio or throughput."""
        found = {}
        for number, kind in enumerate(KINDS):
            listed = _call(
                self.library,
                "MetricsEvaluator_GetMetricNames",
                evaluator=c_void_p(self.handle),
                kind=c_uint8(number),
                text=c_void_p(),
                starts=POINTER(c_size_t)(),
                count=c_size_t(),
            )
            for start in listed.starts[: listed.count]:
                found[ctypes.string_at(listed.text + start).decode()] = kind
        return found

    def passes(self, metrics: Sequence[str]) -> int:
        """How many passes hold all of these when they are added one after the other, as ncu seems to do.

        Added at once, the counters of a ratio may be spread over one pass more.
        """
        config = _call(
            self.library,
            "CUDA_RawMetricsConfig_Create_V2",
            activity=ctypes.c_int(PROFILER),
            chip=c_char_p(self.chip),
            availability=c_void_p(),
            config=c_void_p(),
        ).config
        try:
            _call(self.library, "RawMetricsConfig_BeginPassGroup", config=c_void_p(config), most=c_size_t(0))
            for metric in metrics:
                self._add(config, metric)
            _call(self.library, "RawMetricsConfig_EndPassGroup", config=c_void_p(config))
            return int(
                _call(
                    self.library, "RawMetricsConfig_GetNumPasses_V2", config=c_void_p(config), passes=c_size_t()
                ).passes
            )
        finally:
            _call(self.library, "RawMetricsConfig_Destroy", config=c_void_p(config))

    def _add(self, config: int, metric: str) -> None:
        raw = self._raw_names([metric])
        requests = (RawRequest * len(raw))(*(RawRequest(RAW_REQUEST_SIZE, None, name, 1, 1) for name in raw))
        _call(
            self.library,
            "RawMetricsConfig_AddMetrics",
            config=c_void_p(config),
            requests=ctypes.cast(requests, c_void_p),
            count=c_size_t(len(raw)),
        )

    def accepts(self, metric: str) -> bool:
        """Whether the whole name, suffixes included, can be evaluated."""
        try:
            self._request(metric)
        except PerfproofError:
            return False
        return True

    def _request(self, metric: str) -> Request:
        request = Request()
        _call(
            self.library,
            "MetricsEvaluator_ConvertMetricNameToMetricEvalRequest",
            evaluator=c_void_p(self.handle),
            metric=c_char_p(metric.encode()),
            request=ctypes.cast(ctypes.pointer(request), c_void_p),
            request_size=c_size_t(REQUEST_SIZE),
        )
        return request

    def _raw_names(self, metrics: Sequence[str]) -> list[bytes]:
        requests = (Request * len(metrics))(*(self._request(metric) for metric in metrics))
        fields: dict[str, Any] = {
            "evaluator": c_void_p(self.handle),
            "requests": ctypes.cast(requests, c_void_p),
            "count": c_size_t(len(metrics)),
            "request_size": c_size_t(REQUEST_SIZE),
            "stride": c_size_t(ctypes.sizeof(Request)),
        }
        none = {"names": c_void_p(), "number": c_size_t(), "optional": c_void_p(), "optional_number": c_size_t()}
        number = _call(self.library, "MetricsEvaluator_GetMetricRawDependencies", **fields, **none).number
        names = (c_char_p * number)()
        some = none | {"names": ctypes.cast(names, c_void_p), "number": c_size_t(number)}
        _call(self.library, "MetricsEvaluator_GetMetricRawDependencies", **fields, **some)
        return [name for name in names if name is not None]
