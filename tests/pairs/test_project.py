"""The project around a pair: where its modules are found, which of its files a pair runs, and what is missing."""

import pytest

from perfproof.core.errors import ContractError
from perfproof.core.facts import Facts
from perfproof.pairs.availability import availability
from perfproof.pairs.catalogue import Entry
from perfproof.pairs.contract import read_pair
from perfproof.pairs.pair import Broken, Pair
from perfproof.pairs.project import folders, optional_imports, refuse_missing_modules
from perfproof.pairs.source import read_source


@pytest.fixture
def project(tmp_path, valid):
    """A repository with a package in src, a module at its top, one beside the pair, and data."""
    for name, text in {
        ".git/HEAD": "",
        "src/shop/__init__.py": "from .prices import price\n",
        "src/shop/prices.py": "import random\nfrom . import taxes\nfrom ..elsewhere import nothing\n",
        "src/shop/taxes.py": "import json\n",
        "top.py": "import csv\n",
        "benchmarks/beside.py": "import numpy\n\nimport shop.taxes\n",
        "benchmarks/data/numbers.csv": "1\n",
        "benchmarks/readings.txt": "1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def write(imports, body=""):
        path = tmp_path / "benchmarks" / "pair.py"
        path.write_text(valid.replace("import torch\n", f"import torch\n{imports}\n", 1) + body)
        return path

    return write


def test_modules_are_looked_for_beside_the_pair_in_src_and_at_the_top(project, tmp_path):
    places = folders(project(""))
    assert [str(place.relative_to(tmp_path)) for place in places] == ["benchmarks", "src", "."]


def test_without_any_mark_the_folder_that_a_command_is_typed_in_is_the_top(tmp_path, monkeypatch):
    (tmp_path / "here" / "bench").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert folders(tmp_path / "here" / "bench" / "pair.py")[-1] == tmp_path / "here"
    monkeypatch.chdir(tmp_path / "here" / "bench")
    assert folders(tmp_path / "here" / "bench" / "pair.py") == (tmp_path / "here" / "bench",)


def test_without_a_repository_a_package_file_marks_the_top(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    assert folders(tmp_path / "deep" / "er" / "pair.py")[-1] == tmp_path


def test_alone_there_is_its_folder(tmp_path):
    (tmp_path / "alone").mkdir()
    assert folders(tmp_path / "alone" / "pair.py")[0] == tmp_path / "alone"


def test_what_a_pair_runs_of_its_project_is_known_by_name(project):
    pair = read_pair(project("import beside\nfrom shop import price"), "pair", "own")
    assert set(pair.modules) == {"beside", "shop", "shop.prices", "shop.taxes"}
    assert {"numpy", "random", "json"} <= set(pair.imports), "what its modules import may have to be seeded"


def test_a_change_in_a_module_is_a_change_of_the_pair(project, tmp_path):
    path = project("import beside")
    before = read_pair(path, "pair", "own")
    (tmp_path / "src/shop/taxes.py").write_text("RATE = 2\n")
    after = read_pair(path, "pair", "own")
    assert before.source_sha256 != after.source_sha256 and before.code_sha256 != after.code_sha256
    (tmp_path / "top.py").write_text("OTHER = 2\n")  # not imported
    assert read_pair(path, "pair", "own").source_sha256 == after.source_sha256


def test_modules_of_the_project_are_there_although_nothing_installs_them(project):
    pair = read_pair(project("import beside\nimport top\nimport shop.taxes"), "pair", "own")
    facts = Facts("cpu", None, 1, 1, lambda name: name in ("torch", "numpy"), "")
    assert availability(pair, facts).timed


def test_a_module_that_is_nowhere_is_an_error_with_its_line(project):
    path = project("import numpi")
    found = Entry(path, "pair", "own", "own", own=True).read()
    assert isinstance(found, Broken)
    assert "pair.py:" in found.error and "imports `numpi`, which is not installed and not in the project" in found.error
    assert found.error.endswith("install it, or correct the name")


def test_in_the_catalogue_a_missing_package_only_skips_the_pair(project):
    assert isinstance(Entry(project("import kvikio"), "ch05:pair", "ch05", "ch05_io").read(), Pair)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import cupy\nexcept ImportError:\n    cupy = None",
        "try:\n    import cupy as xp\nexcept (RuntimeError, ModuleNotFoundError):\n    import numpy as xp",
        "try:\n    from cupy import array\nexcept:\n    array = None",
    ],
)
def test_what_a_pair_can_do_without_is_not_missing(project, text):
    path = project(text)
    assert "cupy" in optional_imports(read_source(path).tree)
    refuse_missing_modules(read_source(path), ())
    facts = Facts("cpu", None, 1, 1, lambda name: name in ("torch", "numpy"), "")
    assert availability(read_pair(path, "pair", "own"), facts).timed


def test_what_is_tried_for_another_reason_is_needed(project):
    with pytest.raises(ContractError, match="imports `cupy`"):
        refuse_missing_modules(read_source(project("try:\n    import cupy\nexcept ValueError:\n    pass")), ())


def test_a_declared_need_is_skipped_not_refused(project):
    refuse_missing_modules(read_source(project("import kvikio")), ["kvikio"])


def test_files_that_a_pair_names_by_a_relative_path_are_found(project, tmp_path):
    body = '\nREAD = ["data/numbers.csv", "./readings.txt", "top.py", "nowhere.csv", "../benchmarks", "/etc", ""]\n'
    pair = read_pair(project("", body), "pair", "own")
    there = tmp_path / "benchmarks"
    wanted = {"data": there / "data", "readings.txt": there / "readings.txt", "top.py": tmp_path / "top.py"}
    assert {name: pair.files.get(name) for name in wanted} == wanted
    assert not {"nowhere.csv", "..", "", "etc"} & set(pair.files)


def test_a_module_that_is_no_python_is_left_to_the_import(project, tmp_path):
    (tmp_path / "top.py").write_text("this is no Python")
    assert "top" not in read_pair(project("import top"), "pair", "own").modules


def test_modules_that_import_each_other_are_read_once(project, tmp_path):
    (tmp_path / "top.py").write_text("import beside\n")
    (tmp_path / "benchmarks/beside.py").write_text("import top\n")
    assert set(read_pair(project("import top"), "pair", "own").modules) == {"top", "beside"}


def test_texts_and_names_that_are_too_long_for_a_file_are_none(project):
    pair = read_pair(project(f"import {'x' * 300}", f'\nTEXT = "{"ä" * 250}"\n'), "pair", "own")
    assert pair.files.keys() <= {"data"} and not pair.modules
