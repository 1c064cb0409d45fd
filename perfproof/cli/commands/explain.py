"""Explain a word or a code that perfproof prints.

Without a word, it lists all words and codes.
"""

from typing import TYPE_CHECKING, Annotated

from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.core.explanations import Explanation

PLACE = "Read 6"  # in perfproof --help
TITLE = 70  # characters
RULE_REMEDY = (
    "`perfproof diagnose FILES` has the numbers, what to change, and what would refute it; see docs/diagnose.md."
)

LOAD_REMEDY = "`perfproof load` measures it; see docs/load.md."


def command(
    code: Annotated[
        list[str] | None,
        argument("WORD", "Word or code to explain: W104, launch, same, speed of light. [default: list all]"),
    ] = None,
    json: Annotated[bool, option("--json", "Print the explanation as JSON, and nothing else.")] = False,
) -> None:
    from dataclasses import asdict
    from json import dumps

    from perfproof.cli.width import USUAL, text_width
    from perfproof.report.text import wrapped

    if not code:
        _print_all(json)
        return
    name, found = _find(" ".join(code))
    if json:
        print(dumps({"name": name, **asdict(found)}, indent=1))
        return
    print(f"{name}: {found.title}\n")
    width = min(USUAL, text_width())
    cases = [line for case in found.cases for line in wrapped(f"- {case}", width, hanging="  ")]
    print("\n".join([*wrapped(found.meaning, width), *cases, *wrapped(f"What to do: {found.remedy}", width)]))


def groups() -> "dict[str, dict[str, Explanation]]":
    """Everything that can be explained, by group; a word of two groups stands in the first."""
    from perfproof.core.explanations import GROUPS

    found = GROUPS | {"In a diagnosis": GROUPS["In a diagnosis"] | _rules()}
    taken = {name for words in found.values() for name in words}
    names = {name: one for name, one in _load_names().items() if name not in taken}
    return found | {"In a load test": names | GROUPS["In a load test"]}


def _load_names() -> "dict[str, Explanation]":
    from textwrap import shorten

    from perfproof.core.explanations import Explanation
    from perfproof.core.load import DEFINITIONS

    def title(text: str) -> str:
        first = text.partition(": ")[0] if text.partition(": ")[2] else text.partition(". ")[0].rstrip(".")
        return shorten(first[:1].lower() + first[1:], TITLE, placeholder=" …")

    return {name: Explanation(title(text), text, LOAD_REMEDY) for name, text in DEFINITIONS.items()}


def _rules() -> "dict[str, Explanation]":
    """Rules of the diagnosis by what their files say of themselves; none is imported."""
    import ast
    from pathlib import Path
    from textwrap import shorten

    import perfproof
    from perfproof.cli.folder import first_line
    from perfproof.core.explanations import Explanation

    found = {}
    for file in sorted((Path(perfproof.__file__).parent / "diagnose" / "rules").glob("[a-z]*.py")):
        line = first_line(file)
        title = shorten(line[:1].lower() + line[1:], TITLE, placeholder=" …")
        whole = " ".join((ast.get_docstring(ast.parse(file.read_text())) or line).split())
        found[file.stem] = Explanation(title, f"{whole} This is a rule of the diagnosis.", RULE_REMEDY)
    return found


def _print_all(json: bool) -> None:
    from dataclasses import asdict
    from json import dumps

    from perfproof.cli.width import text_width
    from perfproof.report.text import listed

    found = groups()
    if json:
        told = {head: {name: asdict(one) for name, one in words.items()} for head, words in found.items()}
        print(dumps(told, indent=1))
        return
    for head, words in found.items():
        print("\n".join([head, *listed([(name, one.title) for name, one in words.items()], text_width()), ""]))
    print("perfproof explain WORD says what one means and what to do.")


def _find(code: str) -> "tuple[str, Explanation]":
    """By its name, by its title as a table prints it, or by the word that --allow takes for it."""
    import difflib

    from perfproof.core.errors import NothingMatched
    from perfproof.machine.preflight import REASONS

    known: dict[str, Explanation] = {}
    for words in groups().values():
        known |= {name: one for name, one in words.items() if name not in known}
    titles = {one.title.lower(): name for name, one in known.items()}
    spelt = titles | REASONS | {name.lower(): name for name in known}
    wanted = " ".join(code.lower().split())
    name = next((spelt[one] for one in _spellings(wanted) if one in spelt), None)
    if name is None:
        near = difflib.get_close_matches(wanted, spelt, n=3, cutoff=0.6)
        near = near or [title for title in titles if wanted and wanted in title][:3]
        hint = ", ".join(dict.fromkeys(_shown(one, spelt[one]) for one in near))
        raise NothingMatched(
            f"nothing is called {code!r}; {f'did you mean {hint}? ' if hint else ''}`perfproof explain` lists all"
        )
    return name, known[name]


def _spellings(word: str) -> list[str]:
    """As it is, in the singular, and with a space or a hyphen for the other."""
    singular = word.removesuffix("es") if word.endswith("ches") else word.removesuffix("s")
    both = [word, singular]
    return [*both, *(one.replace("-", " ") for one in both), *(one.replace(" ", "-") for one in both)]


def _shown(spelling: str, name: str) -> str:
    return name if spelling == name.lower() else f"{name} ({spelling})"
