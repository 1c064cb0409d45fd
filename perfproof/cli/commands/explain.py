"""Say what a warning code, a verdict, a status or an outcome means, and what to do."""

from typing import Annotated

import typer


def command(code: Annotated[str, typer.Argument(metavar="CODE", help="W104, same, rejected, ...")]) -> None:
    import difflib
    import textwrap

    from perfproof.core.errors import NothingMatched
    from perfproof.core.warnings import CODES
    from perfproof.core.words import OUTCOMES, STATUSES, VERDICTS

    words = VERDICTS | STATUSES | OUTCOMES
    known = CODES | words
    spelt = {name.lower(): name for name in known}
    name = spelt.get(code.strip().lower())
    if name is None:
        near = difflib.get_close_matches(code.lower(), spelt, n=3, cutoff=0.5)
        hint = ", ".join(spelt[one] for one in near) or f"W101 to {max(CODES)}, {', '.join(words)}"
        raise NothingMatched(f"nothing is called {code!r}; there is {hint}")
    found = known[name]
    print(f"{name}: {found.title}\n")
    print(textwrap.fill(found.meaning, 100))
    print(textwrap.fill(f"What to do: {found.remedy}", 100))
