"""The import rule: a package imports itself and strictly lower layers; the command line never imports torch."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "perfproof"
LAYERS = {
    "core": 0,
    "stats": 1,
    "calc": 1,
    "machine": 1,
    "pairs": 1,
    "worker": 2,
    "profile": 2,
    "cuda": 2,
    "engine": 2,
    "load": 2,
    "history": 2,
    "bench": 3,
    "diagnose": 3,
    "report": 3,
    "fleet": 3,
    "router": 3,
    "peak": 4,
    "triage": 4,
    "app": 5,
    "notebook": 6,
    "web": 6,
    "cli": 6,
}
WITH_TORCH = ("worker/", "cuda/", "engine/", "router/local/", "peak/probes/")
FRONT_DOOR = {"__init__.py", "__main__.py"}  # they import when used: whatever they lead to
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "catalogue" not in path.parts)


def imported(path: Path) -> list[tuple[int, str]]:
    """Every module a file imports, wherever in the file, with its line."""
    found = []
    for node in statements_of(path.read_text()):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        else:
            assert node.level == 0, f"{path}:{node.lineno}: write the whole name of the module"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [(node.lineno, name if node.module == "perfproof" else node.module) for name in names]
    return found


@cache
def statements_of(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Several tests ask for the same: to parse all files takes seconds. No expression holds an import."""
    found: list[ast.Import | ast.ImportFrom] = []
    left: list[ast.AST] = [ast.parse(text)]
    while left:
        node = left.pop(0)
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        for block in ("body", "handlers", "cases", "orelse", "finalbody"):
            inside = getattr(node, block, [])
            left += inside if isinstance(inside, list) else []
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
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {"catalogue"} <= set(LAYERS)


def test_imports_point_strictly_down():
    inside = {path: path.relative_to(PACKAGE) for path in FILES}
    checked = [path for path in FILES if str(inside[path]) not in FRONT_DOOR]
    assert [error for path in checked for error in layer_errors(inside[path].parts[0], path)] == []


def test_torch_is_imported_only_where_tensors_are():
    without = [path for path in FILES if not path.relative_to(PACKAGE).as_posix().startswith(WITH_TORCH)]
    assert [str(path) for path in without if imports_torch(path)] == []


def imports_torch(path: Path) -> bool:
    return bool({module.split(".")[0] for _, module in imported(path)} & {"torch", "triton"})


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that reach each other; one on its own is none."""
    reached = {name: _reached(name, imports) for name in imports}
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return [set(group) for group in groups if group]


def _reached(name: str, imports: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = list(imports[name])
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += imports.get(one, ())
    return found


def test_the_parent_loads_no_torch():
    """All of bench/, app/ and cli/ but the file that a profiler runs; what a function imports is not loaded here."""
    own = [path.relative_to(PACKAGE.parent).with_suffix("") for path in FILES if path.stem not in FRONT_DOOR]
    loaded = [one for one in own if one.parts[1] in ("bench", "app", "cli") and one.name != "profiled_calls"]
    code = "; ".join(f"import {'.'.join(one.parts).removesuffix('.__init__')}" for one in loaded)
    told = f"{code}; import sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], check=False).returncode == 0


def test_no_module_imports_itself_by_way_of_others():
    names = {path: ".".join(("perfproof", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in FILES}
    modules = {name.removesuffix(".__init__") for name in names.values()}
    imports = {}
    for path, name in names.items():
        found = set()
        for node in statements_of(path.read_text()):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            else:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {one if one in modules else str(node.module) for one in whole}
        own = name.removesuffix(".__init__")
        at_once = str(path.relative_to(PACKAGE)) not in FRONT_DOOR  # others take the version from there
        imports[own] = (found & modules) - {own} if at_once else set()
    assert circles(imports) == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]


def test_the_rule_can_fail(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import perfproof.cli.app\ndef f():\n    from perfproof import bench\n")
    assert len(layer_errors("stats", wrong)) == 2
    wrong.write_text("from perfproof.machine import cpu\n")
    assert layer_errors("stats", wrong) and not layer_errors("history", wrong)
    assert not imports_torch(wrong)
    wrong.write_text("def f():\n    import torch.nn\n")
    assert imports_torch(wrong)
