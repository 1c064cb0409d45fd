"""Explain a word or a code that perfproof prints."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from perfproof.core.warnings import Explanation


PLACE = "Read 6"  # in perfproof --help


def command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="W104, same, rejected, launch-bound, load, ...")],
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON, and nothing else.")] = False,
) -> None:
    import textwrap
    from dataclasses import asdict
    from json import dumps

    name, found = _find(code)
    if json:
        print(dumps({"name": name, **asdict(found)}, indent=1))
        return
    print(f"{name}: {found.title}\n")
    print(textwrap.fill(found.meaning, 100))
    print(textwrap.fill(f"What to do: {found.remedy}", 100))


def _find(code: str) -> "tuple[str, Explanation]":
    """By its name, by its title as a table prints it, or by the word that --allow takes for it."""
    import difflib

    from perfproof.core.errors import NothingMatched
    from perfproof.core.warnings import CODES
    from perfproof.core.words import OUTCOMES, SEVERITIES, STATUSES, VERDICTS
    from perfproof.machine.preflight import REASONS

    words = VERDICTS | STATUSES | OUTCOMES | SEVERITIES
    known = CODES | words
    titles = {one.title.lower(): name for name, one in known.items()}
    spelt = titles | REASONS | {name.lower(): name for name in known}
    wanted = code.strip().lower()
    name = spelt.get(wanted)
    if name is None:
        near = difflib.get_close_matches(wanted, spelt, n=3, cutoff=0.5)
        near = near or [title for title in titles if wanted and wanted in title][:3]
        hint = ", ".join(dict.fromkeys(_shown(one, spelt[one]) for one in near))
        raise NothingMatched(f"nothing is called {code!r}; there is {hint or _everything(CODES, words)}")
    return name, known[name]


def _shown(spelling: str, name: str) -> str:
    return name if spelling == name.lower() else f"{name} ({spelling})"


def _everything(codes: "dict[str, Explanation]", words: "dict[str, Explanation]") -> str:
    return f"{min(codes)} to {max(codes)}, {', '.join(words)}"
