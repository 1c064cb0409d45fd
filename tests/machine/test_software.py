"""Versions and builds, found without importing anything."""

import subprocess
import sys

import pytest

from perfproof.machine import software


@pytest.fixture
def torch_of(tmp_path, monkeypatch):
    """An installed torch whose version.py is the given text."""

    def install(text):
        (tmp_path / "torch").mkdir()
        (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError('torch was imported')")
        (tmp_path / "torch" / "version.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "torch", raising=False)

    return install


def test_a_cuda_build_is_told_from_the_text_of_its_version(torch_of):
    torch_of("from typing import Optional\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n")
    assert software.torch_build() == {"cuda": "13.0", "hip": None}


def test_a_cpu_build_has_no_cuda(torch_of):
    torch_of("__version__ = '2.13.0+cpu'\ncuda: Optional[str] = None\n")
    assert software.torch_build() == {"cuda": None, "hip": None}


def test_older_builds_write_it_without_a_type(torch_of):
    torch_of("cuda = '11.8'\nhip = None\n")
    assert software.torch_build()["cuda"] == "11.8"


def test_a_package_is_found_without_being_imported(torch_of):
    torch_of("cuda = None\n")
    assert software.has_package("torch")
    assert software.has_package("torch.version")
    assert not software.has_package("torch.nothing")
    assert not software.has_package("surely_not_installed")
    assert not software.has_package("json.decoder.deeper")


def test_asking_for_facts_and_versions_imports_no_torch():
    code = (
        "import sys; from perfproof.machine import facts, software; software.versions(); facts.read_facts();"
        "software.has_package('torch.nn'); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_versions_name_python_and_say_none_for_what_is_absent(monkeypatch):
    monkeypatch.setattr(software, "PACKAGES", ("pytest", "surely-not-installed"))
    found = software.versions()
    assert found["python"] and found["pytest"]
    assert found["surely-not-installed"] is None
