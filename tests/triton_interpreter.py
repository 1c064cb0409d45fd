"""Triton's interpreter without what it repeats: for programs of tests in which Triton interprets kernels."""

from typing import Any


class Restored:
    """What a launch has replaced in Triton's language, and puts back at its end."""

    def __init__(self, scope: Any, replaced: set[int]) -> None:
        self._scope, self._replaced = scope, replaced

    def restore(self) -> None:
        self._scope.restore()
        self._replaced.clear()


class NothingReplaced:
    def restore(self) -> None:
        pass


def replace_once_per_launch() -> None:
    """Replace the functions of Triton's language when a kernel is launched, and not again in each function it calls.

    The interpreter looks through the whole language for every call of a function such as `tl.sum`: a third of its time.
    A function that sees a module of the language which the launch has not replaced still replaces it.
    """
    from triton.runtime import interpreter

    usual, languages = interpreter._patch_lang, (interpreter.tl, interpreter.tl.core)
    seen_by: dict[Any, set[int]] = {}  # a function -> the modules of the language that it names
    replaced: set[int] = set()

    def patch(function: Any) -> Any:
        if function not in seen_by:
            named = function.__globals__.values()
            seen_by[function] = {id(one) for one in languages if any(value is one for value in named)}
        if seen_by[function] and seen_by[function] <= replaced:
            return NothingReplaced()
        is_launch = not replaced
        scope = usual(function)
        replaced.update(seen_by[function])
        return Restored(scope, replaced) if is_launch else scope

    interpreter._patch_lang = patch
