"""Options that take one value and are given twice: the second would silently replace the first, so that is refused."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from perfproof.core.errors import UsageError

HINTS = {"judge": ("guard", "one quantity gives the verdict; --guard NAME fails the gate on another one too")}


def refuse_repeats(command: Any) -> None:
    """Make a command refuse options that are given twice, and its loaded subcommands too."""
    for child in vars(command).get("commands", {}).values():
        refuse_repeats(child)
    make_parser = command.make_parser

    def make_checking_parser(context: Any) -> Any:
        parser = make_parser(context)
        parse = parser.parse_args

        def parse_and_check(args: list[str]) -> Any:
            options, rest, order = parse(args=args)
            _check(order, {one.name for one in command.params})
            return options, rest, order

        parser.parse_args = parse_and_check
        return parser

    command.make_parser = make_checking_parser


def _check(order: Sequence[Any], names: set[str]) -> None:
    """`order` has each parameter as often as it was written. A flag that is written twice says the same twice."""
    for one, number in Counter(order).items():
        if number < 2 or one.param_type_name != "option" or one.multiple or one.is_flag or one.count:
            continue
        other, hint = HINTS.get(one.name, ("", ""))
        said = hint if other in names else "it takes one value; leave the others out"
        written = max(one.opts, key=len)
        raise UsageError(f"{written} is given {'twice' if number == 2 else f'{number} times'}: {said}")
