"""The import rule: a package imports itself and strictly lower layers; the command line never imports torch."""

import ast
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "perfproof"
LAYERS = {
    "core": 0,
    "stats": 1,
    "calc": 1,
    "machine": 1,
    "pairs": 1,
    "measure": 2,
    "verify": 2,
    "profile": 2,
    "cuda": 2,
    "engine": 2,
    "load": 2,
    "history": 2,
    "bench": 3,
    "diagnose": 3,
    "report": 3,
    "fleet": 3,
    "peak": 4,
    "triage": 4,
    "web": 5,
    "cli": 5,
}
TORCH_ALLOWED = {"measure", "verify", "cuda", "engine", "bench", "peak"}
PARENT_SIDE = {  # the command line loads these
    "bench/run.py",
    "bench/target.py",
    "bench/launches.py",
    "bench/profiled_settings.py",
    "peak/measure.py",
    "peak/processes.py",
    "peak/probe_files.py",
    "peak/plan.py",
    "peak/table.py",
}
FRONT_DOOR = {"__init__.py", "__main__.py"}  # they import when used: whatever they lead to
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "catalogue" not in path.parts)


def imported(path: Path) -> list[tuple[int, str]]:
    """Every module a file imports, wherever in the file, with its line."""
    return imports_of(path, path.read_text())


@cache
def imports_of(path: Path, text: str) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the whole name of the module"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [(node.lineno, name if node.module == "perfproof" else node.module) for name in names]
    return found


def layer_errors(package: str, path: Path) -> list[str]:
    errors = []
    for line, module in imported(path):
        parts = module.split(".")
        if parts[0] != "perfproof" or len(parts) == 1 or parts[1] in (package, "__version__"):
            continue
        if LAYERS[parts[1]] >= LAYERS[package]:
            errors.append(f"{path.name}:{line}: {package} (L{LAYERS[package]}) imports {module} (L{LAYERS[parts[1]]})")
    return errors


def test_every_package_has_a_layer():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert folders - {"catalogue"} <= set(LAYERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_strictly_down(path):
    relative = path.relative_to(PACKAGE)
    if str(relative) not in FRONT_DOOR:
        assert layer_errors(relative.parts[0], path) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_torch_is_imported_only_where_tensors_are(path):
    relative = path.relative_to(PACKAGE)
    modules = {module.split(".")[0] for _, module in imported(path)}
    if relative.parts[0] not in TORCH_ALLOWED or str(relative) in PARENT_SIDE:
        assert not modules & {"torch", "triton"}


def test_the_rule_can_fail(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import perfproof.cli.app\ndef f():\n    from perfproof import bench\n")
    assert len(layer_errors("stats", wrong)) == 2
    wrong.write_text("from perfproof.machine import cpu\n")
    assert layer_errors("stats", wrong) and not layer_errors("history", wrong)
