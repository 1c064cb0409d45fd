"""Chapter 5, storage: every side reads the whole of what was asked for, from real files in an empty folder."""

import threading

import numpy
import pytest
import torch

from perfproof.core.facts import Facts
from perfproof.core.trees import clone
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Pair
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.outputs import same_bits
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

FOLDER = CHAPTERS / "ch05_storage"
READERS = ["memory_mapped", "sorted_reads", "parallel_reads", "columnar_format", "overlapped_pipeline"]
EVERY = [*READERS, "gpu_decompression"]
COLD = ["sorted_reads", "parallel_reads", "overlapped_pipeline"]


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded(name: str) -> LoadedPair:
    return LoadedPair(f"ch05_storage/{name}")


def declared(name: str) -> Pair:
    return read_pair(FOLDER / f"{name}.py", f"ch05:{name}", "ch05")


def called(pair: LoadedPair, side: str, arguments: list):
    """What a side returns; it may change no argument and leave no thread behind."""
    own, threads = clone(arguments), threading.active_count()
    result = getattr(pair.module, side)(*own)
    assert same_bits(own, arguments) and threading.active_count() == threads, side
    return result


def apart(pair: LoadedPair, result, arguments: list) -> str:
    return difference(result, pair.module.reference(*clone(arguments)), pair.module.tolerance).problem


@pytest.mark.parametrize("name", EVERY)
def test_every_pair_keeps_the_contract_and_says_the_state_of_the_page_cache(name):
    pair = declared(name)
    assert pair.menu and pair.clock == "latency" and pair.smoke
    assert pair.cold == (("path",) if name in COLD else ())
    said = " ".join(pair.explanation.split())
    assert ("pages are cold" if name in COLD else "page cache") in said


@pytest.mark.parametrize("name", EVERY)
def test_every_side_agrees_with_the_reference_on_ragged_sizes(name):
    pair = loaded(name)
    for seed in range(3):
        arguments = pair.draw(pair.module.smoke, seed)
        for side in pair.sides:
            assert apart(pair, called(pair, side, arguments), arguments) == "", (side, seed)


@pytest.mark.parametrize("name", READERS)
def test_every_side_agrees_with_the_reference_at_the_sizes_of_a_cpu(name):
    pair = loaded(name)
    arguments = pair.draw(pair.module.workload_cpu, seed=5)
    for side in pair.sides:
        assert apart(pair, called(pair, side, arguments), arguments) == "", side


@pytest.mark.parametrize("name", EVERY)
def test_a_wrong_answer_is_outside_the_tolerance(name):
    pair = loaded(name)
    arguments = pair.draw(pair.module.smoke, seed=2)
    expected, result = pair.module.reference(*arguments), called(pair, "baseline", arguments)
    parts = (expected, result) if isinstance(expected, torch.Tensor) else (expected[0], result[0])
    for what, wrong in wrong_answers(parts[0].double(), [], parts[1].dtype).items():
        answer = wrong if isinstance(expected, torch.Tensor) else (wrong, *result[1:])
        assert apart(pair, answer, arguments), what


@pytest.mark.parametrize("name", EVERY)
def test_draws_differ_but_a_constant_file_is_written_once(name):
    pair = loaded(name)
    first, second = (pair.draw(pair.module.smoke, seed) for seed in (1, 2))
    assert not same_bits(first, second)
    for argument, one, other in zip(pair.names, first, second, strict=True):
        assert argument not in pair.constant or same_bits(one, other)


@pytest.mark.parametrize("name", ["memory_mapped", "sorted_reads", "parallel_reads", "overlapped_pipeline"])
def test_a_side_reads_the_file_again_in_every_call(name, scratch):
    """A side that kept what it read, or read less, would not see that any byte has become another."""
    pair = loaded(name)
    arguments = pair.draw(pair.module.smoke, seed=3)
    (file,) = scratch.glob("*.bin")
    kind = "int16" if name == "overlapped_pipeline" else "float32"
    for side in pair.sides:
        before = called(pair, side, arguments)
        numpy.fromfile(file, dtype=kind)[::-1].tofile(file)
        after = called(pair, side, arguments)
        assert apart(pair, after, arguments) == "" and not torch.equal(before, after), side


def test_a_batch_that_asks_for_a_record_twice_and_for_both_ends_gets_them():
    pair = loaded("sorted_reads")
    path, record, _ = pair.draw(pair.module.smoke, seed=4)
    wanted = torch.tensor([36, 0, 5, 5, 36, 0, 1])
    arguments = [path, record, wanted]
    for side in pair.sides:
        assert apart(pair, called(pair, side, arguments), arguments) == ""


def test_neighbours_are_read_at_once_and_wide_gaps_are_not(monkeypatch):
    pair = loaded("sorted_reads")
    record = pair.module.GAP // 16  # a quarter of a gap
    path, _, _ = pair.draw(dict(records=64, record=record, batch=1), seed=0)
    requests = []
    read = pair.module.os.preadv
    monkeypatch.setattr(pair.module.os, "preadv", lambda fd, to, at: requests.append(at) or read(fd, to, at))
    pair.module.optimized(path, record, torch.tensor([50, 0, 2, 4, 51]))
    assert requests == [0, 50 * 4 * record]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_any_number_of_threads_reads_the_same_chunks(threads):
    pair = loaded("parallel_reads")
    arguments = pair.draw(pair.module.smoke | {"threads": threads}, seed=6)
    assert torch.equal(called(pair, "optimized", arguments), called(pair, "baseline", arguments))


def test_the_columns_and_the_pickles_hold_the_same_data():
    pair = loaded("columnar_format")
    arguments = pair.draw(pair.module.smoke, seed=7)
    labels = [called(pair, side, arguments)[1].tolist() for side in pair.sides]
    assert labels[0] == labels[1] == labels[2] and len(set(labels[0])) > 1


def test_more_chunks_than_the_queues_hold_come_out_in_their_order():
    pair = loaded("overlapped_pipeline")
    path, shape, scale = pair.draw(dict(chunks=9, rows=3, channels=5), seed=1)
    result = called(pair, "optimized", [path, shape, scale])
    for index in range(9):
        single = pair.module.reference(path, shape, scale)[index]
        torch.testing.assert_close(result[index].double(), single, rtol=1e-6, atol=1e-6)


def test_decoded_blocks_start_at_their_first_value_and_never_fall():
    pair = loaded("gpu_decompression")
    packed, first = pair.draw(pair.module.smoke, seed=8)
    for side in pair.sides:
        decoded = called(pair, side, [packed, first])
        assert torch.equal(decoded[:, 0], first + (packed[:, 0] & 15)) and bool((decoded.diff(dim=1) >= 0).all())
        assert torch.equal(decoded[:, -1] - first, ((packed & 15).int() + (packed >> 4).int()).sum(1).int())


def test_only_the_decompression_needs_a_gpu():
    here = Facts(device="cpu", cuda=None, gpus=0, numa=1, has_package=lambda name: True)
    can = {name: availability(declared(name), here) for name in EVERY}
    assert [name for name in EVERY if not can[name].timed] == ["gpu_decompression"]
    assert "needs a GPU" in can["gpu_decompression"].reason


def test_the_models_say_what_their_docstrings_say():
    cost = {name: loaded(name).module.cost for name in EVERY}
    mapped = cost["memory_mapped"](rows=65_536, width=256)
    assert mapped["baseline_bytes"] == 4 * mapped["bytes"]
    dense = cost["sorted_reads"](records=1_024, record=1_024, batch=256)["predicted_optimized"]
    sparse = cost["sorted_reads"](records=100_000, record=1_024, batch=256)["predicted_optimized"]
    assert dense == pytest.approx(1.85, abs=0.01) and sparse == pytest.approx(1.0, abs=0.1)
    threads = [cost["parallel_reads"](chunks=64, chunk=1, batch=32, threads=n) for n in (1, 2, 8)]
    assert [one["predicted_optimized"] for one in threads] == pytest.approx([1.0, 2.0, 3.0])
    columns = cost["columnar_format"](records=2_000, width=64)
    assert columns["predicted_optimized"] == pytest.approx(57, abs=1)
    assert columns["predicted_optimized_pickled_columns"] == pytest.approx(42, abs=1)
    assert cost["overlapped_pipeline"](chunks=8, rows=1, channels=1)["predicted_optimized"] == 1.5
    assert cost["gpu_decompression"](blocks=1, block=16)["predicted_optimized"] == pytest.approx(20, abs=0.1)
