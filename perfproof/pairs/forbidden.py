"""What a pair imports, and the code that has no business in one: a timed function may only use its arguments.

A look into the harness's frames, objects or modules is how a kernel would find the expected answer. This is the first
of several locks, for what can be seen in the text; the worker guards the rest.
"""

import ast
import unicodedata
from collections.abc import Iterable, Iterator

from perfproof.pairs.source import Source, nodes

# Names that mean one thing only, whatever stands before the dot; also as text, for getattr.
_UNMISTAKABLE = {
    "_getframe": "sys._getframe",
    "_getframemodulename": "sys._getframemodulename",
    "_current_frames": "sys._current_frames",
    "settrace": "sys.settrace",
    "setprofile": "sys.setprofile",
    "currentframe": "inspect.currentframe",
    "getouterframes": "inspect.getouterframes",
    "get_referrers": "gc.get_referrers",
    "get_referents": "gc.get_referents",
    "pythonapi": "ctypes.pythonapi",
    "from_address": "ctypes from_address",
    "tb_frame": "tb_frame",
    "f_back": "f_back",
    "gi_frame": "gi_frame",
    "cr_frame": "cr_frame",
}
_OF_MODULE = {
    "sys": {"modules", "monitoring"},
    "inspect": {"stack", "trace", "getinnerframes"},
    "gc": {"get_objects"},
    "ctypes": {"memmove", "memset"},
    "os": {"fork", "forkpty"},
}
_OURS = {"perfproof.cuda", "perfproof.engine", "perfproof.router"}
_WATCHED = {*_OF_MODULE, "perfproof", "__main__"}


def read_imports(source: Source) -> tuple[str, ...]:
    """Top-level packages that the file imports, anywhere in it."""
    found: dict[str, None] = {}
    for node in nodes(source.tree):
        if isinstance(node, ast.Import):
            found.update((alias.name.split(".")[0], None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            remedy = "import from the pair's folder or the project's top by its full name"
            raise source.refusal(f"a relative import; a pair is loaded by itself: {remedy}", node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found[node.module.split(".")[0]] = None
    return tuple(found)


def refuse_introspection(source: Source, imports: Iterable[str]) -> None:
    text = source.text if source.text.isascii() else unicodedata.normalize("NFKC", source.text)  # as Python reads names
    if _WATCHED.isdisjoint(imports) and not any(name in text for name in _UNMISTAKABLE):
        return  # walking every tree would make `list` slow
    modules = {alias: name for node in nodes(source.tree) for alias, name in _modules(node)}
    for node in nodes(source.tree):
        for what in _looks(node, modules):
            line = getattr(node, "lineno", None)
            if what.startswith("os.fork"):
                remedy = "start a process with `subprocess` or `multiprocessing`"
                raise source.refusal(f"copies the harness ({what}); {remedy}", line)
            raise source.refusal(f"looks into the harness ({what}); a timed function may only use its arguments", line)


def _modules(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that stand for a watched module: `import sys as s` gives s, sys."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.split(".")[0]
            if top in _OF_MODULE and (alias.asname is None or alias.name == top):
                yield alias.asname or top, top


def _looks(node: ast.AST, modules: dict[str, str]) -> Iterator[str]:
    """What a node reaches for that it should not."""
    match node:
        case ast.Attribute(value=ast.Name(base), attr=name) if name in _OF_MODULE.get(modules.get(base, ""), ()):
            yield f"{modules[base]}.{name}"
        case ast.Attribute(attr=name) | ast.Constant(value=str(name)) if name in _UNMISTAKABLE:
            yield _UNMISTAKABLE[name]
        case ast.Call(func=ast.Name("getattr"), args=[ast.Name(base), ast.Constant(value=str(name)), *_]):
            if name in _OF_MODULE.get(modules.get(base, ""), ()):
                yield f"{modules[base]}.{name}"
        case ast.Import():
            yield from (f"import {a.name}" for a in node.names if _is_ours(a.name) or a.name == "__main__")
        case ast.ImportFrom(module=str(module), level=0):
            for alias in node.names:
                if _is_ours(module) and _is_ours(f"{module}.{alias.name}"):
                    yield f"import {module}"
                elif alias.name in _UNMISTAKABLE or alias.name in _OF_MODULE.get(module, ()):
                    yield f"{module}.{alias.name}"
                elif (alias.name == "*" and module in _OF_MODULE) or module == "__main__":
                    yield f"from {module} import {alias.name}"


def _is_ours(module: str) -> bool:
    """Part of perfproof, and not one of the packages that a pair may import."""
    return module.split(".")[0] == "perfproof" and ".".join(module.split(".")[:2]) not in _OURS
