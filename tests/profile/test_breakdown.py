"""Breakdowns of small timelines whose answer can be seen."""

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.breakdown import devices, idle, is_communication, overlap, temporal
from tests.profile.idle_by_cause import idle_by_cause

MICRO = 1000


def timeline(*work, calls=()):
    """work: (kind, name, start, end, stream, correlation) and calls: (start, end, correlation), in microseconds."""
    events = Events("test")
    for kind, name, start, end, stream, correlation in work:
        where = {"stream": stream, "device": 0, "rank": 0, "correlation": correlation}
        events.add(kind, name, start * MICRO, end * MICRO, **where)
    for start, end, correlation in calls:
        events.add(Kind.RUNTIME, "cudaLaunchKernel", start * MICRO, end * MICRO, rank=0, correlation=correlation)
    return events


def test_time_is_idle_computing_or_other_work_and_overlaps_count_once():
    events = timeline(
        (Kind.KERNEL, "gemm", 0, 40, 7, 1),
        (Kind.KERNEL, "relu", 30, 50, 8, 2),  # beside gemm for 10
        (Kind.COPY, "Memcpy HtoD", 45, 60, 9, 3),  # 5 beside relu, 10 alone
        (Kind.KERNEL, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 80, 90, 10, 4),
        (Kind.FILL, "Memset", 95, 100, 7, 5),
    )
    found = temporal(events, 0, 0)
    assert (found.span_ns, found.compute_ns, found.non_compute_ns, found.idle_ns) == (100_000, 50_000, 25_000, 25_000)
    assert found.share(found.idle_ns) == 0.25


def test_a_window_cuts_what_reaches_over_its_edges():
    events = timeline((Kind.KERNEL, "gemm", 0, 40, 7, 1), (Kind.COPY, "Memcpy", 60, 80, 7, 2))
    found = temporal(events, 0, 0, window=(20 * MICRO, 70 * MICRO))
    assert (found.span_ns, found.compute_ns, found.non_compute_ns, found.idle_ns) == (50_000, 20_000, 10_000, 20_000)


def test_waits_of_the_device_and_ranges_are_no_work():
    events = timeline((Kind.KERNEL, "gemm", 0, 10, 7, 1), (Kind.KERNEL, "gemm", 20, 30, 7, 2))
    events.add(Kind.SYNC, "Stream Wait Event", 0, 30_000, stream=7, device=0, rank=0)
    events.add(Kind.DEVICE_RANGE, "step", 0, 30_000, stream=7, device=0, rank=0)
    assert temporal(events, 0, 0).idle_ns == 10_000


def test_devices_of_ranks_are_apart():
    events = timeline((Kind.KERNEL, "gemm", 0, 10, 7, 1))
    events.add(Kind.KERNEL, "gemm", 0, 5, device=1, rank=3)
    assert devices(events) == [(0, 0), (3, 1)]
    assert temporal(events, 3, 1).span_ns == 5


def test_nothing_has_no_shares():
    found = temporal(Events("test"), 0, 0)
    assert found.span_ns == 0 and found.share(found.idle_ns) is None
    assert overlap(Events("test"), 0, 0).ratio is None


def test_a_gap_is_explained_by_the_launch_of_what_follows():
    events = timeline(
        (Kind.KERNEL, "a", 0, 100, 7, 1),
        (Kind.KERNEL, "late launch", 120, 130, 7, 2),  # launched at 110, after a had ended
        (Kind.KERNEL, "short gap", 150, 160, 7, 3),  # launched long before; 20 us
        (Kind.KERNEL, "long gap", 300, 310, 7, 4),  # launched long before; 140 us
        (Kind.KERNEL, "no launch", 400, 410, 7, 99),
        calls=[(0, 1, 1), (110, 112, 2), (20, 21, 3), (22, 23, 4)],
    )
    found = idle(events, 0, 0)
    assert [gap.cause for gap in found] == ["host_wait", "kernel_wait", "other", "unknown"]
    assert idle_by_cause(found) == {"host_wait": 20_000, "kernel_wait": 20_000, "other": 140_000, "unknown": 90_000}
    assert events.name(found[0].after) == "late launch" and events.name(found[0].before) == "a"


def test_gaps_of_a_stream_are_not_gaps_of_the_device():
    events = timeline(
        (Kind.KERNEL, "a", 0, 10, 7, 1), (Kind.KERNEL, "b", 5, 60, 8, 2), (Kind.KERNEL, "c", 50, 70, 7, 3)
    )
    assert idle(events, 0, 0) == []
    assert [(gap.start_ns, gap.end_ns) for gap in idle(events, 0, 0, stream=7)] == [(10_000, 50_000)]


def test_idle_times_and_gaps_agree():
    work = [(Kind.KERNEL, "k", start, start + 7, start % 3, start) for start in range(0, 200, 11)]
    events = timeline(*work)
    assert sum(idle_by_cause(idle(events, 0, 0)).values()) == temporal(events, 0, 0).idle_ns


def test_communication_is_hidden_where_something_computes():
    events = timeline(
        (Kind.KERNEL, "gemm", 0, 40, 7, 1),
        (Kind.KERNEL, "ncclDevKernel_ReduceScatter", 30, 70, 8, 2),
        (Kind.COPY, "Memcpy DtoD", 50, 70, 9, 3),  # a copy hides nothing
    )
    found = overlap(events, 0, 0)
    assert (found.communication_ns, found.hidden_ns, found.exposed_ns) == (40_000, 10_000, 30_000)
    assert found.ratio == 0.25
    assert overlap(events, 0, 0, window=(0, 50 * MICRO)).ratio == 0.5


def test_a_kernel_that_torch_calls_a_collective_is_one_whatever_its_name():
    events = timeline((Kind.KERNEL, "gemm", 0, 40, 7, 1))
    events.add(Kind.KERNEL, "my_kernel", 0, 10, device=0, rank=0, args={"Collective name": "allreduce"})
    assert overlap(events, 0, 0).communication_ns == 10


@pytest.mark.parametrize(
    "name",
    [
        "ncclDevKernel_AllGather_RING_LL(x)",
        "ncclKernel_AllReduce",
        "rcclKernel",
        "cross_device_reduce_1stage",
        "void deep_ep::internode_ll::dispatch<true, 3, 7168>",
        "void internode::combine<bf16>",
        "nvshmemi_transfer_rma",
        "void tensorrt_llm::oneShotAllReduceKernel<half>",
        "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<6>",
        "two_shot_all_reduce_kernel",
        "multimem_all_gather_kernel",
        "userbuffers_fp16_sum_inplace_gpu_rr_rs",
        "quickreduce::allreduce_prototype_twoshot",
        "mscclKernel_Sum_half_LL",
    ],
)
def test_names_of_communication(name):
    assert is_communication(name)


@pytest.mark.parametrize(
    "name", ["ampere_bf16_gemm", "reduce_kernel<512>", "all_reduce_metrics_are_not_kernels", "deep_epilogue"]
)
def test_names_of_computation(name):
    assert not is_communication(name)
