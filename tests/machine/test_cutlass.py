"""CUTLASS is found where people put it, and no path of theirs is told."""

from perfproof.machine import cutlass, software

HEADER = "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 1\n"


def put(folder):
    header = folder / "include/cutlass/version.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER)


def test_headers_are_found_by_the_variable_and_in_the_usual_places(machine, monkeypatch, tmp_path):
    put(machine.root / "usr/local/cutlass")
    put(tmp_path / "home/somebody/cutlass")
    monkeypatch.setenv("CUTLASS_PATH", str(tmp_path / "home/somebody/cutlass"))
    found = cutlass.find()
    assert found["headers in CUTLASS_PATH"] == found["headers in /usr/local/cutlass"] == "4.2.1"
    assert "somebody" not in str(found)


def test_a_copy_inside_a_package_is_found_without_importing_it(machine, monkeypatch, tmp_path):
    package = tmp_path / "site/flashinfer"
    put(package / "data/cutlass")
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert cutlass.find() == {"headers in flashinfer": "4.2.1"}


def test_packages_are_known_by_their_metadata(machine, monkeypatch):
    monkeypatch.setattr(software, "version_of", lambda name: "4.2.1" if name == "nvidia-cutlass-dsl" else None)
    assert cutlass.find()["nvidia-cutlass-dsl"] == "4.2.1"
