"""A compiled source is kept by what decides the result, and never trusted unless it is whole."""

import pytest

from perfproof.cuda import cache
from perfproof.cuda.compiling import Build, compile_build

SOURCE = '#include "tile.cuh"\n__global__ void copy(float* x) { x[TILE] = 1; }\n'


@pytest.fixture
def build(write):
    write("#define TILE 32\n", "tile.cuh")
    return Build(write(SOURCE), "sm_90a")


@pytest.fixture
def compilations(monkeypatch):
    made = []

    def counted(build):
        made.append(build)
        return compile_build(build)

    monkeypatch.setattr(cache, "compile_build", counted)
    return made


def test_the_second_time_is_read_and_equal(build, compilations, own_cache):
    first, second = cache.compiled(build), cache.compiled(build)
    assert first == second and len(compilations) == 1
    assert len(list(own_cache.iterdir())) == 1


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "text"])
def test_an_entry_that_is_not_whole_is_compiled_again(build, compilations, own_cache, damage):
    whole = cache.compiled(build)
    (entry,) = own_cache.iterdir()
    data = entry.read_bytes()
    flipped = data[:-100] + bytes([data[-100] ^ 1]) + data[-99:]
    entry.write_bytes({"cut": data[:-1], "flipped": flipped, "emptied": b"", "text": b"no\nentry\n"}[damage])
    assert cache.compiled(build) == whole and len(compilations) == 2
    assert entry.read_bytes() == data


def test_whatever_decides_the_result_decides_the_key(build, write, monkeypatch):
    keys = [cache.key(build)]
    for changes in (
        dict(architecture="sm_100a"),
        dict(defines=(("TILE", "64"),)),
        dict(options=("--use_fast_math",)),
        dict(expressions=("copy<int>",)),
    ):
        keys.append(cache.key(Build(**{**vars(build), **changes})))
    write("#define TILE 16\n", "tile.cuh")
    keys.append(cache.key(build))
    write(SOURCE + "// more\n")
    keys.append(cache.key(build))
    monkeypatch.setattr(cache, "nvrtc_version", lambda: "14.9")
    keys.append(cache.key(build))
    assert len(set(keys)) == len(keys)


def test_a_header_from_a_folder_that_the_options_name_counts_too(write, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "far.cuh").write_text("#define FAR 1\n")
    path = write("#include <far.cuh>\n__global__ void copy(float* x) { x[FAR] = 1; }\n")
    build = Build(path, "sm_90a", options=(f"-I{tmp_path / 'shared'}",))
    before = cache.key(build)
    (tmp_path / "shared" / "far.cuh").write_text("#define FAR 2\n")
    assert cache.key(build) != before


def test_a_folder_that_cannot_be_written_is_no_obstacle(build, compilations, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PERFPROOF_CACHE", str(tmp_path / "file"))
    assert cache.compiled(build) == cache.compiled(build)
    assert len(compilations) == 2


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("PERFPROOF_CACHE", "/own")
    assert str(cache.cache_folder()) == "/own/cubin"
    monkeypatch.delenv("PERFPROOF_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert str(cache.cache_folder()) == "/xdg/perfproof/cubin"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/somebody")
    assert str(cache.cache_folder()) == "/somebody/.cache/perfproof/cubin"
