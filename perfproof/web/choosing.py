"""What a person filters, sorts and turns pages by: read from the address, and written into it again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from perfproof.web.catalogue import Catalogue, Result, RunEntry

A_PAGE = 50
NO_CHAPTER = "no chapter"
LONGEST = 200  # characters of a field
GRAVE = ("failed-verification", "rejected", "refused", "crashed", "timeout", "slower", "worse")


@dataclass(frozen=True)
class Wishes:
    """Empty fields hold for everything."""

    q: str = ""
    verdict: str = ""
    machine: str = ""
    chapter: str = ""
    tag: str = ""
    sort: str = ""
    page: int = 1

    @property
    def any(self) -> bool:
        return any((self.q, self.verdict, self.machine, self.chapter, self.tag))

    def address(self, path: str, **changed: Any) -> str:
        """The address of the same list with some fields changed. Page 1 and empty fields are left out."""
        wanted = vars(replace(self, **changed))
        given = {name: value for name, value in wanted.items() if value and (name, value) != ("page", 1)}
        return f"{path}?{urlencode(given)}" if given else path


@dataclass(frozen=True)
class Choices:
    """What the form offers."""

    verdicts: list[str]
    machines: list[str]
    chapters: list[str]
    tags: list[str]


@dataclass(frozen=True)
class Paged:
    items: list[Any]
    total: int
    page: int
    pages: int

    @property
    def first(self) -> int:
        return (self.page - 1) * A_PAGE + 1 if self.total else 0

    @property
    def last(self) -> int:
        return min(self.page * A_PAGE, self.total)


def wishes_of(request: Request) -> Wishes:
    query = request.query_params
    texts = {
        name: query.get(name, "").strip()[:LONGEST] for name in ("q", "verdict", "machine", "chapter", "tag", "sort")
    }
    page = query.get("page", "1")
    return Wishes(**texts, page=int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1)


def choices_of(found: Catalogue) -> Choices:
    chapters = sorted({one.chapter or NO_CHAPTER for one in found.latest})
    return Choices(found.verdicts, found.machines, chapters, found.tags)


def page_of(items: Sequence[Any], wanted: int) -> Paged:
    pages = max(1, -(-len(items) // A_PAGE))
    page = min(max(1, wanted), pages)
    return Paged(list(items[(page - 1) * A_PAGE : page * A_PAGE]), len(items), page, pages)


def chosen_results(found: Catalogue, wishes: Wishes) -> list[Result]:
    tags = {run.name: run.tags for run in found.runs} if wishes.tag else {}
    kept = [one for one in found.latest if _fits(one, wishes) and (not wishes.tag or wishes.tag in tags[one.run])]
    if wishes.sort == "newest":
        return sorted(kept, key=lambda one: one.started, reverse=True)
    if wishes.sort in ("gain", "loss"):
        unknown = 0.0 if wishes.sort == "gain" else float("inf")
        return sorted(kept, key=lambda one: one.ratio or unknown, reverse=wishes.sort == "gain")
    if wishes.sort == "verdict":
        return sorted(kept, key=lambda one: (GRAVE.index(one.word) if one.word in GRAVE else len(GRAVE), one.word))
    return kept


def chosen_runs(found: Catalogue, wishes: Wishes) -> list[RunEntry]:
    """A run fits if its name, machine or commit holds the words, or one of its results does."""
    kept = [run for run in found.runs if _run_fits(run, wishes)]
    return kept[::-1] if wishes.sort == "oldest" else kept


def _run_fits(run: RunEntry, wishes: Wishes) -> bool:
    if not wishes.any:
        return True
    if (wishes.machine and run.kind != wishes.machine) or (wishes.tag and wishes.tag not in run.tags):
        return False
    own = f"{run.name} {run.kind} {run.commit}"
    rest = replace(wishes, q="") if wishes.q and holds(own, wishes.q) else wishes
    if not (rest.q or rest.verdict or rest.chapter):
        return True
    return any(_fits(one, rest) for one in run.results)


def _fits(one: Result, wishes: Wishes) -> bool:
    return (
        (not wishes.verdict or one.word == wishes.verdict)
        and (not wishes.machine or one.kind == wishes.machine)
        and (not wishes.chapter or (one.chapter or NO_CHAPTER) == wishes.chapter)
        and (not wishes.q or holds(f"{one.target} {one.variant} {one.kind} {one.run}", wishes.q))
    )


def holds(text: str, words: str) -> bool:
    """Every word is somewhere in it, in any case."""
    lower = text.lower()
    return all(word in lower for word in words.lower().split())
