"""Look at a profile: timeline, flame graph, memory and tables.

FILE is a trace of torch.profiler or in Chrome trace format, an nsys SQLite export, collapsed stacks, a speedscope file,
`perf script`, a torch memory snapshot or timeline, `xplane.pb` of JAX, scalene's JSON, CSV of rocprof, `perf stat`,
`strace -c`, a record of `perfproof monitor`, or a log of torch.compile. The page needs no network and no server.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from perfproof.cli.output import write_file
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.app.view import Viewed
    from perfproof.report.html.profile import Fragment


PLACE = "Profile 2"  # in perfproof --help


def command(
    file: Annotated[Path, argument("FILE", "Profile to show, plain or gzipped; or latest.")],
    output: Annotated[
        str | None, option("-o --output FILE", "HTML page to write; - prints it. [default: NAME.html]")
    ] = None,
    speedscope: Annotated[Path | None, option("--speedscope FILE", "Write the stacks to FILE, for speedscope.")] = None,
    chrome_trace: Annotated[
        Path | None, option("--chrome-trace FILE", "Write the memory history to FILE, for Perfetto.")
    ] = None,
    json: Annotated[bool, option("--json", "Print what was found as JSON; write a page only with --output.")] = False,
) -> int:
    from perfproof.app.view import summary, view_file
    from perfproof.diagnose.folders import main_file
    from perfproof.history.finding import find_profile

    file = main_file(find_profile("artifacts", str(file)))
    viewed = view_file(file)
    written = []
    if speedscope is not None:
        written.append(write_file(speedscope, _speedscope_text(viewed)))
    if chrome_trace is not None:
        written.append(write_file(chrome_trace, _chrome_text(viewed)))
    if output == "-":
        print(_page(viewed))
        return 0
    if output is not None or not (json or written):
        written.append(write_file(Path(output or _page_name(file)), _page(viewed) + "\n"))
    if json:
        from json import dumps

        shown = {"page": _shown(viewed), "written": [str(path) for path in written]}
        print(dumps(summary(viewed) | shown, indent=1))
    else:
        print("\n".join(str(path) for path in written))
    return 0


def _fragments(viewed: "Viewed") -> "list[Fragment]":
    from perfproof.cli.show.profile_pictures import pictures_of
    from perfproof.report.html.profile import compile_fragment, flame_fragment

    fragments = [compile_fragment(viewed.log)] if viewed.log else []
    sampled = flame_fragment(viewed.sampled, "samples", "Flame graph of the program's lines")
    return fragments + pictures_of(viewed.events, viewed.stories, viewed.stacks) + ([sampled] if sampled else [])


def _shown(viewed: "Viewed") -> list[dict[str, object]]:
    """The headings, facts and tables of the page, in its words: the pictures are left out, their captions are not."""
    return [
        {
            "heading": one.heading,
            "caption": one.figure.caption if one.figure else "",
            "facts": dict(one.facts),
            "tables": [
                {
                    "caption": table.caption,
                    "head": table.head,
                    "rows": [[cell.text for cell in row] for row in table.rows],
                }
                for table in one.tables
            ],
            "unknown": dict(one.unknown),
        }
        for one in _fragments(viewed)
    ]


def _page(viewed: "Viewed") -> str:
    from perfproof.app.view import facts, remarks, title_of
    from perfproof.core.errors import NothingMatched
    from perfproof.report.html.profile_page import ProfilePage, render_page

    fragments = _fragments(viewed)
    if not fragments:
        raise NothingMatched(f"{viewed.path}: {viewed.events.source}, but it holds nothing that can be shown")
    unknown = list(viewed.events.unknown.items())
    return render_page(ProfilePage(title_of(viewed), facts(viewed), fragments, unknown, remarks(viewed)))


def _speedscope_text(viewed: "Viewed") -> str:
    from perfproof.core.errors import NothingMatched
    from perfproof.profile.weighed_stacks import speedscope_file

    if not viewed.stacks.weights:
        raise NothingMatched(f"--speedscope: {viewed.path} has no stacks; record them with py-spy or with_stack=True")
    return speedscope_file(viewed.stacks, viewed.path.name)


def _chrome_text(viewed: "Viewed") -> str:
    from perfproof.core.errors import NothingMatched
    from perfproof.profile.memory_trace import chrome_trace

    if not viewed.stories:
        why = "has no memory history; record one with profile_memory=True or _record_memory_history"
        raise NothingMatched(f"--chrome-trace: {viewed.path} {why}")
    return chrome_trace(viewed.stories, viewed.recorded.allocations)


def _page_name(file: Path) -> str:
    """trace.json.gz becomes trace.html, in the current folder; a profile of a program has the program's name."""
    from perfproof.history.finding import NAME
    from perfproof.profile.plans import Work

    folder = NAME.fullmatch(file.absolute().parent.name)
    if folder and file.name.startswith(f"{Work.name}."):
        return f"{folder['slug']}.profile.html"
    return f"{file.name.removesuffix('.gz').rpartition('.')[0] or file.name}.html"
