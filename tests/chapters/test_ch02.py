"""Chapter 2, hardware: the sides are right by a margin, wrong answers are caught, and no side does less work.

What needs a GPU runs here as far as a CPU can take it: TF32 by rounding its inputs, streams by a stand-in that keeps
a diary, copies with buffers of the test's own.
"""

import contextlib
import mmap
import types

import pytest
import torch

from perfproof.core.options import Effort
from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

ON_A_CPU = ["cache_blocking", "parallel_copy", "huge_pages"]
ON_A_GPU = ["tf32_matmul", "transfer_overlap", "peer_copy"]
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)
MARGIN = 0.6  # honest rounding uses at most this share of a tolerance
needs_gpus = {
    count: pytest.mark.skipif(torch.cuda.device_count() < count, reason=f"needs {count} CUDA GPUs") for count in (1, 2)
}


def pair(name: str) -> LoadedPair:
    return LoadedPair(f"ch02_hardware/{name}")


def called(module, side: str, arguments: list) -> torch.Tensor:
    prepare = getattr(module, f"prepare_{side}", None)
    state = (prepare(*arguments),) if prepare else ()
    return getattr(module, side)(*state, *arguments)


@pytest.fixture
def three_threads():
    usual = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(usual)


@pytest.mark.parametrize("name", ON_A_CPU + ON_A_GPU)
def test_every_pair_keeps_the_contract_and_has_a_place_on_the_menu(name):
    read = read_pair(CHAPTERS / "ch02_hardware" / f"{name}.py", f"ch02:{name}", "ch02")
    assert (read.workload_cpu is not None) == (name in ON_A_CPU) == ("cuda" not in read.needs)
    assert read.smoke and read.menu[0] in ("training", "inference", "both")
    assert read.lowers_precision == ("tf32" if name == "tf32_matmul" else "")
    assert read.tier == "idiomatic"


@pytest.mark.parametrize("name", ON_A_CPU)
def test_the_harness_verifies_both_sides_at_smoke_sizes(name, run_pair):
    result = run_pair(CHAPTERS / "ch02_hardware" / f"{name}.py", effort=TINY, fast=True)
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} <= {"pass", "not-run"}
    assert all(side.error.of_tolerance < MARGIN for side in result.variants.values())


@pytest.mark.parametrize("name", ON_A_CPU)
def test_a_wrong_answer_is_outside_the_tolerance(name):
    module = pair(name).module
    for seed in range(3):
        torch.manual_seed(seed)
        arguments = list(module.inputs(**module.smoke))
        expected, output = module.reference(*arguments), called(module, "baseline", arguments)
        assert pair(name).of_tolerance([output], [expected]) < MARGIN
        for what, wrong in wrong_answers(expected, [], output.dtype).items():
            assert pair(name).of_tolerance([wrong], [expected]) > 1, (what, seed)


def test_pieces_give_the_same_bits_as_the_whole_at_any_length():
    module = pair("cache_blocking").module
    for elements, piece in ((1, 1), (777, 777), (778, 777), (10_007, 777), (5, 100)):
        x, piece = module.inputs(elements, piece)
        whole, pieces = (called(module, side, [x, piece]) for side in ("baseline", "optimized"))
        assert torch.equal(whole, pieces), (elements, piece)


def test_every_element_is_evaluated_in_every_pass():
    module = pair("cache_blocking").module
    for place in (0, 776, 777, 10_006):
        x = torch.zeros(10_007)
        x[place] = 2.0
        found = called(module, "optimized", [x, 777])
        assert found[place] == 0.5 * 16 - 1.25 * 8 + 0.75 * 4 - 0.375 * 2 + 1
        assert int((found != 1).sum()) == 1


def test_all_threads_together_copy_every_element(three_threads):
    module = pair("parallel_copy").module
    for elements in (1, 2, 3, 4, 100_003):
        x = torch.randn(elements)
        out, threads = prepared = module.prepare_optimized(torch.randn(elements))
        assert module.optimized(prepared, x) is out and torch.equal(out, x)
        threads.shutdown()
    assert torch.get_num_threads() == 3


def test_the_work_is_shared_out_among_the_threads_that_there_are(three_threads, monkeypatch):
    module, copied = pair("parallel_copy").module, []
    monkeypatch.setattr(module, "copy", lambda out, x: copied.append(x.numel()))
    prepared = module.prepare_optimized(torch.zeros(9_000))
    module.optimized(prepared, torch.zeros(9_000))
    prepared[1].shutdown()
    assert copied == [3_000, 3_000, 3_000]
    assert module.cost(9_000) == {"predicted_optimized": 3}


def test_one_thread_copies_as_the_baseline_does(monkeypatch):
    module = pair("parallel_copy").module
    monkeypatch.setattr(module.torch, "get_num_threads", lambda: 1)
    _, threads = prepared = module.prepare_optimized(torch.zeros(5))
    assert torch.equal(module.optimized(prepared, torch.arange(5.0)), torch.arange(5.0))
    assert not threads._threads  # none was started


def test_a_lookup_reads_its_own_entry_and_no_other():
    module = pair("huge_pages").module
    left, right, index = module.inputs(rows=3, cols=5, lookups=100)
    table = left[:, None] + right
    for side in ("baseline", "optimized"):
        assert torch.equal(called(module, side, [left, right, index]), table.view(-1)[index])


def test_only_the_optimised_table_asks_for_huge_pages_and_before_it_is_touched(monkeypatch):
    module, said = pair("huge_pages").module, []

    class Mapping(mmap.mmap):
        def madvise(self, advice, *rest):
            said.append((advice, self[:8]))

    names = ("MAP_PRIVATE", "MAP_ANONYMOUS", "MADV_HUGEPAGE")
    stand_in = types.SimpleNamespace(mmap=Mapping, **{name: getattr(mmap, name) for name in names})
    monkeypatch.setattr(module, "mmap", stand_in)
    arguments = list(module.inputs(**module.smoke))
    module.prepare_baseline(*arguments)
    assert said == []
    module.prepare_optimized(*arguments)
    assert said == [(mmap.MADV_HUGEPAGE, bytes(8))]
    assert module.baseline.__code__.co_code == module.optimized.__code__.co_code


def test_rounding_to_tf32_stays_within_the_tolerance_and_an_answer_in_bfloat16_does_not():
    loaded = pair("tf32_matmul")
    torch.manual_seed(2)
    x, weight = torch.randn(128, 4_096), torch.randn(4_096, 512) / 64  # the sums of the workload, fewer of them
    expected = x.double() @ weight.double()
    assert 0.1 < loaded.of_tolerance([tf32(x).double() @ tf32(weight).double()], [expected]) < MARGIN
    # Products of bfloat16 with sums in float32, as a GPU forms them: a CPU without such products takes seconds.
    narrow = x.bfloat16().float() @ weight.bfloat16().float()
    assert loaded.of_tolerance([narrow.bfloat16().float()], [expected]) > 1


def tf32(values: torch.Tensor) -> torch.Tensor:
    """Ten of the 23 bits behind the point, rounded to nearest."""
    bits = values.view(torch.int32) + (1 << 12)
    return (bits >> 13 << 13).view(torch.float32)


def test_the_precision_is_raised_during_the_product_and_put_back(monkeypatch):
    module, during = pair("tf32_matmul").module, []

    class Watched:
        def __matmul__(self, other):
            during.append(torch.get_float32_matmul_precision())
            return other

    before = torch.get_float32_matmul_precision()
    assert module.optimized(Watched(), "weight") == "weight"
    assert (during, torch.get_float32_matmul_precision()) == (["high"], before)


class Diary:
    """Streams that only write down what they are asked to do; the work itself is done at once."""

    def __init__(self):
        self.lines, self.now = [], "current"
        self.cuda = types.SimpleNamespace(current_stream=lambda: self.stream("current"), stream=self.on)

    def stream(self, name):
        return types.SimpleNamespace(
            name=name,
            wait_stream=lambda other: self.lines.append(f"{name} waits for {other.name}"),
            synchronize=lambda: self.lines.append(f"the host waits for {name}"),
        )

    @contextlib.contextmanager
    def on(self, stream):
        self.lines.append(f"copy on {stream.name}")
        yield


def test_every_copy_waits_for_its_piece_and_the_caller_for_all_copies(monkeypatch):
    loaded, diary = pair("transfer_overlap"), Diary()
    module = loaded.module
    monkeypatch.setattr(module, "torch", types.SimpleNamespace(cuda=diary.cuda))
    x, weight = torch.randn(77, 33), torch.randn(33, 19) / 33**0.5
    host = torch.full((77, 19), float("nan"))
    assert module.optimized((host, diary.stream("copies")), x, weight) is host
    assert loaded.of_tolerance([host], [x.double() @ weight.double()]) < MARGIN
    assert diary.lines == [
        *["copies waits for current", "copy on copies"] * module.PIECES,
        "current waits for copies",
        "the host waits for current",
    ]


def test_both_ways_between_gpus_bring_every_element():
    module = pair("peer_copy").module
    x, host, out = torch.randn(3, 1_001)
    assert module.optimized(out, x) is out and torch.equal(out, x)
    out.zero_()
    assert module.baseline((host, out), x) is out and torch.equal(out, x)


@needs_gpus[1]
@pytest.mark.parametrize("name", ["tf32_matmul", "transfer_overlap"])
def test_both_sides_are_right_on_a_gpu(name):
    loaded = pair(name)
    for seed in range(3):
        arguments = loaded.draw(loaded.module.smoke, seed, device="cuda")
        expected = loaded.expected(arguments)
        for side in loaded.sides:
            assert loaded.of_tolerance(loaded.outputs(side, arguments), expected) < MARGIN, (side, seed)


@needs_gpus[2]
def test_both_ways_end_on_the_other_gpu():
    loaded = pair("peer_copy")
    arguments = loaded.draw(loaded.module.smoke, 1, device="cuda:0")
    for side in loaded.sides:
        (out,) = loaded.outputs(side, arguments)
        assert out.device.index == 1 and torch.equal(out.cpu(), arguments[0].cpu())


def test_the_models_say_what_the_docstrings_say():
    predicted = {
        name: module.cost(**module.workload)["predicted_optimized"]
        for name in ("tf32_matmul", "transfer_overlap", "cache_blocking", "huge_pages", "peer_copy")
        if (module := pair(name).module)
    }
    assert predicted == pytest.approx(
        dict(tf32_matmul=7.4, transfer_overlap=1.74, cache_blocking=1.65, huge_pages=1.5, peer_copy=14.5), rel=0.01
    )
