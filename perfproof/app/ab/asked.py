"""What was written after `perfproof ab`, before it is known which form it is."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from perfproof.app.ab.targets import is_command, names_a_pair
from perfproof.core.errors import UsageError
from perfproof.pairs.pair import Pair


@dataclass(frozen=True)
class Asked:
    """The command line of `ab`, before it is known which form it is."""

    targets: tuple[str, ...] = ()
    a: str | None = None
    b: str | None = None
    others: tuple[str, ...] = ()  # further commands, each compared with a
    variables_a: tuple[str, ...] = ()
    variables_b: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    variant: str | None = None
    label_a: str | None = None
    label_b: str | None = None
    cwd: str | None = None
    prepare: str | None = None
    metrics: tuple[str, ...] = ()
    judged: str = "wall"
    guards: tuple[str, ...] = ()  # quantities that a gate goes by too, as --guard gives them
    warmup: int = 1
    ignore_exit: bool = False
    output_may_differ: bool = False
    sizes: tuple[str, ...] = ()  # of a pair, as --set gives them
    arguments: str | None = None  # of a function, as --args gives them
    setup: str | None = None  # what runs before they are evaluated

    @property
    def of_programs(self) -> list[str]:
        """Options that only make sense for whole programs, as far as they were given."""
        plain = Asked()
        names = {"b": "--b", "cwd": "--cwd", "prepare": "--prepare", "metrics": "--metric", "judged": "--judge"}
        names |= {"guards": "--guard", "warmup": "--warmup", "ignore_exit": "--ignore-exit"}
        return [option for name, option in names.items() if getattr(self, name) != getattr(plain, name)]

    @property
    def of_functions(self) -> list[str]:
        """Options that only make sense for a function, as far as they were given."""
        names = {"--args": self.arguments, "--setup": self.setup}
        return [option for option, value in names.items() if value is not None]

    @property
    def has_two(self) -> bool:
        """Is there anything to compare the first command with?"""
        return self.b is not None or bool(self.revisions or self.variables_a or self.variables_b)

    def sizes_of(self, pair: Pair) -> dict[str, Any]:
        """Sizes and ranks given with --set: those of both sides."""
        from perfproof.pairs.sizes import parse_sizes

        return parse_sizes(self.sizes, [pair]).get(pair.name, {})


def with_commands(asked: Asked) -> Asked:
    """What was written without an option is a pair if there is one of that name, and else a command: side a, side b."""
    if asked.a is not None or not any(is_command(text) for text in asked.targets):
        return asked
    pairs = [text for text in asked.targets if names_a_pair(text)]
    if pairs:
        other = next(text for text in asked.targets if text not in pairs)
        if asked.targets.index(other) == 0 and not other.split()[1:]:  # `python train.py`: two words of one command
            whole = shlex.join(asked.targets)
            raise UsageError(f"{other!r} and {pairs[0]!r} are two arguments: quote a command, as in '{whole}'")
        revisions = f"; two revisions of a pair: {pairs[0]} --rev main --rev HEAD"
        raise UsageError(f"{pairs[0]!r} is a pair and {other!r} is not: give two pairs or two commands{revisions}")
    commands = (*asked.targets, *([asked.b] if asked.b is not None else []))
    return replace(asked, targets=(), a=commands[0], b=(*commands, None)[1], others=commands[2:])


def two_revisions(given: Sequence[str]) -> tuple[str, ...]:
    """`--rev main --rev HEAD`, or as git writes it, `--rev main..HEAD`; an end that is left out is HEAD."""
    ends = given[0].split("..") if len(given) == 1 else []
    return tuple(end or "HEAD" for end in ends) if len(ends) == 2 else tuple(given)


def parse_variables(items: Sequence[str], option: str) -> dict[str, str]:
    found = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise UsageError(f"{option} {item!r} is no variable: write NAME=VALUE")
        found[name] = value
    return found
