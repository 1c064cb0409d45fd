"""The .cu beside a pair is part of the pair: it has to be there, and a change to it is a change of the pair."""

import pytest

from perfproof.core.errors import ContractError
from perfproof.pairs.kernels import with_includes

KERNEL = "__global__ void add() {}\n"


@pytest.fixture
def with_kernels(accepted, valid, tmp_path):
    def read(how="from perfproof import cuda", **files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return accepted(valid.replace("import torch\n", f"import torch\n{how}\n"))

    return read


@pytest.mark.parametrize(
    "how", ["from perfproof import cuda", "import perfproof.cuda", "from perfproof.cuda import source as s"]
)
def test_a_pair_that_imports_the_loader_has_the_cu_of_its_name(with_kernels, tmp_path, how):
    assert with_kernels(how, pair_cu=KERNEL).kernel_files == (tmp_path / "pair.cu",)


def test_a_pair_without_the_loader_has_none_even_with_a_cu_beside_it(accepted, valid, tmp_path):
    before = accepted(valid)
    (tmp_path / "pair.cu").write_text(KERNEL)
    after = accepted(valid)
    assert after.kernel_files == ()
    assert after.source_sha256 == before.source_sha256


def test_a_missing_cu_is_refused_with_its_name_and_line(with_kernels):
    with pytest.raises(ContractError, match=r"pair\.py:7: imports perfproof\.cuda, but there is no pair\.cu beside it"):
        with_kernels()


def test_a_change_of_the_cu_or_of_what_it_includes_changes_the_pairs_mark(with_kernels):
    source = '#include "tile.cuh"\n' + KERNEL
    first = with_kernels(pair_cu=source, tile_cuh="#define TILE 32\n")
    assert [file.name for file in first.kernel_files] == ["pair.cu", "tile.cuh"]
    marks = {first.source_sha256}
    marks.add(with_kernels(tile_cuh="#define TILE 64\n").source_sha256)
    marks.add(with_kernels(pair_cu=source + "// more\n").source_sha256)
    marks.add(with_kernels(pair_cu=source, tile_cuh="#define TILE 32\n").source_sha256)  # as it was first
    assert len(marks) == 3


def test_includes_are_followed_each_once_and_those_of_cuda_left_out(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.cuh").write_text('#include "b.cuh"\n#include <cuda_fp16.h>\n')
    (tmp_path / "parts" / "b.cuh").write_text('  #  include "a.cuh"\n')
    (tmp_path / "main.cu").write_text('#include "parts/a.cuh"\n#include <parts/b.cuh>\n#include "gone.cuh"\n')
    names = [file.name for file in with_includes(tmp_path / "main.cu")]
    assert names == ["main.cu", "a.cuh", "b.cuh"]


def test_a_step_that_borrows_from_one_with_kernels_needs_them_too(accepted, valid, tmp_path):
    lender = valid.replace("import torch\n", "import torch\nfrom perfproof import cuda\n")
    (tmp_path / "step_01.py").write_text(lender)
    (tmp_path / "step_01.cu").write_text(KERNEL)
    start, end = valid.index("def baseline"), valid.index("def optimized")
    borrower = valid[:start] + 'baseline = "step_01"\n\n\n' + valid[end:]
    pair = accepted(borrower, chapter="labs/moe", stem="step_02")
    assert [file.name for file in pair.kernel_files] == ["step_01.cu"]
