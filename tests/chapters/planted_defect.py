"""A pair with one line of it changed for the worse, and the share of its tolerance that a side's answer uses."""

from pathlib import Path
from typing import Any

import torch

from tests.chapters.loaded_pair import CHAPTERS, LoadedPair


def planted(name: str, old: str, new: str, folder: Path) -> LoadedPair:
    """The pair with `old` replaced by `new`, in a file of its own: Triton reads a kernel's source from there."""
    text = (CHAPTERS / f"{name}.py").read_text()
    assert old in text, f"{name} no longer has {old!r}"
    path = folder / f"{Path(name).name}_{abs(hash((old, new)))}.py"
    path.write_text(text.replace(old, new))
    return LoadedPair(str(path.with_suffix("")))


def drawn(pair: LoadedPair, seed: int, **sizes: Any) -> tuple:
    """Arguments at the smoke sizes, or at others."""
    torch.manual_seed(seed)
    arguments = pair.module.inputs(**(pair.module.smoke | sizes))
    return arguments if isinstance(arguments, tuple) else (arguments,)


def answer(pair: LoadedPair, side: str, arguments: tuple) -> Any:
    """What a side returns; its preparation sees the constants and other values of the rest."""
    prepare = getattr(pair.module, f"prepare_{side}", None)
    others = [
        argument if name in pair.constant or not torch.is_tensor(argument) else argument.flip(0)
        for name, argument in zip(pair.names, arguments, strict=True)
    ]
    state = (prepare(*others),) if prepare else ()
    return getattr(pair.module, side)(*state, *arguments)


def share(pair: LoadedPair, side: str, arguments: tuple) -> float:
    """Above 1 is a wrong answer."""
    outputs, expected = answer(pair, side, arguments), pair.module.reference(*arguments)
    several = isinstance(outputs, tuple | list)
    return pair.of_tolerance(list(outputs) if several else [outputs], list(expected) if several else [expected])
