"""What a saved run was, as the options and targets of a new one."""

import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from perfproof.app.ab.asked import Asked
from perfproof.app.ab.chosen import Chosen
from perfproof.core.documents import Run
from perfproof.core.errors import DocumentError
from perfproof.core.options import RunOptions
from perfproof.pairs.pair import Broken, Pair

OF_AB = {"ab", "gate", "strict"}  # options of a saved A/B beside those of every run


def saved_ab(saved: Run) -> Asked | None:
    """What an A/B compared; None if the run was none."""
    if "ab" not in saved.options:
        return None
    given: dict[str, Any] = dict(saved.options["ab"])
    given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}  # JSON has lists only
    try:
        return Asked(**given)
    except TypeError:
        raise DocumentError(f"{saved.run}: run its own command again: {shlex.join(saved.command)}") from None


def moved_revisions(saved: Run, chosen: Chosen) -> str:
    """A branch that is another commit now is not what was measured then: the person should know."""
    before = list(dict.fromkeys(label for target in saved.targets for label in target.labels.values()))
    now = list(dict.fromkeys(chosen.labels))
    if not saved.options["ab"].get("revisions") or not before or before == now:
        return ""
    return f"{saved.run} compared {' and '.join(before)}; now these are {' and '.join(now)}"


def saved_options(saved: Run) -> RunOptions:
    if "functions" in saved.options:
        raise DocumentError(
            f"{saved.run} compares functions of a Python program: run `perfproof.compare` there again, with "
            f'seed="{saved.seed}" for the same values'
        )
    if "sweep" in saved.options:
        raise DocumentError(f"{saved.run} is a sweep: `perfproof sweep --resume {saved.run}` goes on with it")
    known = {field.name for field in fields(RunOptions)}
    unknown = sorted(set(saved.options) - known - OF_AB)
    if unknown:
        raise DocumentError(
            f"{saved.run}: its options {', '.join(unknown)} are unknown here; use the perfproof that wrote it"
        )
    values = {name: value for name, value in saved.options.items() if name in known} | {"seed": saved.seed or None}
    for name in ("targets", "variants", "allow"):  # JSON has lists only
        values[name] = tuple(values.get(name, ()))
    return RunOptions(**values)


def written_targets(saved: Run) -> list[str]:
    """The targets as a person writes them: a file of the user's is named without its ".py"."""
    if not saved.planned:
        raise DocumentError(f"{saved.run}: it planned no targets, there is nothing to run again")
    return [f"{name}.py" if Path(f"{name}.py").is_file() else name for name in saved.planned]


def what_changed(saved: Run, pairs: Sequence[Pair | Broken]) -> list[str]:
    """A file that was edited since is not what was measured then: the person should know."""
    hashes = {result.target: result.source_sha256 for result in saved.targets}
    found = []
    for pair in pairs:
        before = hashes.get(pair.name)
        if isinstance(pair, Pair) and before and before != pair.source_sha256:
            found.append(f"{pair.name}: the file has changed since {saved.run}")
    return found
