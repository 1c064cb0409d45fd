"""A pair at two revisions; or several, one after the other."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from perfproof.app.ab.asked import Asked
from perfproof.app.ab.chosen import Answered, Chosen, Measure, labelled, one_by_one
from perfproof.app.ab.labels import comparison_name, settings_of, side_labels
from perfproof.app.ab.targets import files_of
from perfproof.app.session import now
from perfproof.core.documents import TargetResult
from perfproof.core.errors import ContractError, UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.machine.worktrees import repository_of

if TYPE_CHECKING:
    from perfproof.bench.run import Finished
    from perfproof.core.documents import Status
    from perfproof.machine.worktrees import Tree


def plan_revisions(
    asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack, answered: Answered | None
) -> Chosen:
    """A pair at two revisions; or several, one after the other, whose intervals hold together."""
    from perfproof.app.ab.checkouts import changes_of, trees_of

    files = list(dict.fromkeys(one for target in asked.targets for one in files_of(target, asked.variant)))
    if asked.sizes and len(files) > 1:
        raise UsageError(f"--set is for one pair at two revisions, and {len(files)} are named")
    own = replace(options, budget=options.budget / len(files) if options.budget else None)
    trees: dict[Path, list[Tree]] = {}
    each = []
    for file, variant in files:
        repository = repository_of(file.parent if file.parent.is_dir() else Path.cwd())
        if repository not in trees:
            trees[repository] = trees_of(asked.revisions, repository, stack)
        each.append(_at_revisions(Apart(asked, own, facts, trees[repository], answered, len(files)), file, variant))
    made = each[0] if len(each) == 1 else one_by_one(each)
    return replace(made, changes=changes_of(trees.values()))


@dataclass(frozen=True)
class Apart:
    """What all pairs share that are compared at two revisions."""

    asked: Asked
    options: RunOptions
    facts: Facts
    trees: "list[Tree]"
    answered: Answered | None
    comparisons: int  # how many pairs


def _at_revisions(apart: Apart, file: Path, variant: str | None) -> Chosen:
    """One of several that cannot be compared is refused by itself: the others are measured."""
    from perfproof.app.ab.checkouts import place_of

    labels = side_labels(apart.asked, ["", ""], settings_of([], apart.trees))
    of_file = str(place_of(file).with_suffix(""))
    pair = f"{of_file}:{variant}" if variant and apart.comparisons > 1 else of_file  # a file may be there twice
    name = comparison_name(side_labels(apart.asked, ["", ""], [tree.name for tree in apart.trees]), pair)
    try:
        return labelled(name, labels, _measured_apart(apart, file, variant, name))
    except (ContractError, UsageError) as error:
        if apart.comparisons == 1:
            raise
        return labelled(name, labels, _without_result(name, "refused", str(error)))


def _measured_apart(apart: Apart, file: Path, variant: str | None, name: str) -> Measure:
    from perfproof.app.ab.checkouts import import_from, in_trees, lend_pair, pair_at, place_of, remarks_on
    from perfproof.bench.forms.two_environments import Setting, run_apart
    from perfproof.bench.forms.two_files import choose_variant, join, refuse_other_work
    from perfproof.pairs.availability import availability

    trees, facts, asked = apart.trees, apart.facts, apart.asked
    lent = lend_pair(trees, file, place_of(file))
    before, after = pairs = [pair_at(tree, place_of(file)) for tree in trees]
    sides = [choose_variant(pair, variant) for pair in pairs]
    refuse_other_work(before, after, asked.output_may_differ)  # modules may differ: each side has its own interpreters
    a, b = (
        Setting(join(pair, side, pair, side, name), import_from(tree))
        for pair, side, tree in zip(pairs, sides, trees, strict=True)
    )
    here = replace(facts, has_package=lambda package: facts.has_package(package) or in_trees(package, trees))
    if apart.comparisons > 1 and not (can := availability(a.pair, here)).timed:
        return _without_result(name, "skipped", can.reason)
    notes, sizes = (*remarks_on(trees), *lent), asked.sizes_of(before)
    more = (notes, apart.answered, sizes, apart.comparisons, asked.output_may_differ)
    return lambda seed, notify: run_apart(a, b, apart.options, here, seed, notify, *more)


def _without_result(name: str, status: "Status", reason: str) -> Measure:
    """One of several that was not measured, and why."""
    from perfproof.bench.run import Finished

    def measured(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        yield Finished(TargetResult(target=name, status=status, reason=reason, started=now()), [], "")

    return measured
