"""Measure chosen pairs: what `run` and `rerun` do."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from perfproof.app.session import BROKEN_CONTRACT, Session, all_refused, now
from perfproof.app.telemetry import Watch
from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import NothingMatched
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.pairs.pair import Broken, Pair
from perfproof.pairs.source import shown


def choose(targets: Sequence[str], keyword: str | None, facts: Facts) -> list[Pair | Broken]:
    """The pairs that are named; with no name at all the tour."""
    from perfproof.pairs.availability import availability
    from perfproof.pairs.targets import select, tour

    pairs = select(targets, keyword)
    if targets or keyword:
        return pairs
    return list(tour(pairs, lambda pair: availability(pair, facts)))


def with_variants(pairs: Sequence[Pair | Broken], wanted: Sequence[str]) -> tuple[list[Pair | Broken], tuple[str, ...]]:
    """The pairs that have one of the wanted variants, and the variants' full names: `tiled` is `optimized_tiled`."""
    if not wanted:
        return list(pairs), ()
    known = {variant for pair in pairs if isinstance(pair, Pair) for variant in pair.variants}
    full = []
    for name in wanted:
        match = next((one for one in (name, f"optimized_{name}") if one in known), None)
        if match is None:
            raise NothingMatched(f"no selected target has the variant {name!r}; there are {', '.join(sorted(known))}")
        full.append(match)
    kept = [pair for pair in pairs if isinstance(pair, Broken) or set(pair.variants) & set(full)]
    return kept, tuple(full)


def execute(pairs: Sequence[Pair | Broken], session: Session) -> tuple[Run, int]:
    """Measure, save after every target; the run and its exit code. If all are refused, it has no folder."""
    from perfproof.bench.ceilings import read_limits
    from perfproof.bench.run import Planned, run_targets

    options = session.options
    planned = [Planned(pair, options.sizes.get(pair.name, {})) for pair in pairs if isinstance(pair, Pair)]
    broken = [refusal(pair) for pair in pairs if isinstance(pair, Broken)]

    def results(seed: str, watch: Watch) -> Iterator[Any]:
        limits = read_limits(session.machine)
        return run_targets(planned, options, session.facts, seed, session.news.notify, limits, watch.mark)

    names = [pair.name for pair in pairs]
    measured = session.measure(names, _slug(pairs, options), asdict(options), results, known=broken)
    if all_refused(measured.run):
        measured.folder.discard()  # the reasons are printed, and there is nothing else to keep
        measured.run.run, measured.run.telemetry = "", None
    return measured.run, max(measured.exit_code, BROKEN_CONTRACT if broken and not measured.stopped else 0)


def refusal(pair: Broken) -> TargetResult:
    return TargetResult(target=pair.name, status="refused", reason=pair.error, path=shown(pair.path), started=now())


def _slug(pairs: Sequence[Pair | Broken], options: RunOptions) -> str:
    if not options.targets and options.keyword is None:
        return "tour"
    if len(pairs) == 1:
        return pairs[0].name
    chapters = {pair.chapter for pair in pairs}
    return f"{chapters.pop() if len(chapters) == 1 else len(pairs)}-targets"
