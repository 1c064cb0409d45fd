"""One function of a project at two revisions, or two functions of it, without a pair of their own.

The commands are `perfproof ab package.module:function --rev A --rev B` and `perfproof ab module:f module:g --args ...`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from perfproof.app.ab.asked import Asked
from perfproof.app.ab.call import FunctionCall, function_call, places_in, top_of
from perfproof.app.ab.chosen import Answered, Chosen, labelled
from perfproof.app.ab.labels import comparison_name, settings_of, side_labels
from perfproof.app.ab.targets import names_a_pair
from perfproof.app.ab.written_pair import file_of, pair_of, parameters_in, refuse_absent, refuse_unknown, write_pair
from perfproof.core.documents import FunctionSource
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions

if TYPE_CHECKING:
    from perfproof.bench.run import Finished

REMEDY = "let --args draw its arguments, as in --args 'np.random.rand(1000)'"
CONSTANT = "every argument is constant: let the values of at least one change"
DRAW = re.compile(r"let `inputs` draw (?:different ones|from more values)")
SIDES = ("baseline", "optimized")
PLACE = re.compile(r"\(\S*perfproof-function-\w+/function\.py:\d+, in (?P<name>[^)]+)\)")
IN_PLACE = "work on a copy, or name it in `mutates`"
COPY_IN_PLACE = "write a pair that names it in `mutates` (perfproof new NAME)"


def function_of(asked: Asked) -> FunctionCall | None:
    """The function that is compared; None if the targets are pairs."""
    wanted = [text for text in asked.targets if ":" in text and not names_a_pair(text)]
    calls = [call for text in wanted if (call := function_call(text, asked.arguments, asked.setup))]
    if not calls:
        return None
    first, given = asked.targets[0], asked.variables_a or asked.variables_b or asked.sizes or asked.variant
    if len(calls) > 2:
        raise UsageError(
            "two functions are compared at a time; a pair file compares more, each as `optimized_...`: perfproof new "
            "my_pair"
        )
    if len(asked.targets) > 1 or len(asked.revisions) != 2 or given:
        raise UsageError(
            f"a function is compared with itself at two revisions, or with another one: perfproof ab {first} "
            f"--rev main --rev HEAD, or perfproof ab {first} module:other --args '...'"
        )
    return calls[0]


def two_functions_of(asked: Asked) -> tuple[FunctionCall, FunctionCall] | None:
    """Two functions of the project as it is; None if something else is compared."""
    if len(asked.targets) != 2 or asked.revisions or any(map(names_a_pair, asked.targets)):
        return None
    f, g = (function_call(text, asked.arguments, asked.setup) for text in asked.targets)
    if f is None or g is None or asked.variables_a or asked.variables_b or asked.sizes or asked.variant:
        return None
    return f, g


def plan_two_functions(
    calls: tuple[FunctionCall, FunctionCall], asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack
) -> Chosen:
    """A pair that is written for them, whose sides share an interpreter."""
    from perfproof.bench.forms.two_files import join, run_joined
    from perfproof.machine.worktrees import Tree

    here = Path.cwd()
    tree = Tree("the working tree", "", top_of(here), submodules=False)
    places = places_in(tree, here.relative_to(tree.path))
    refuse_unknown(calls[0])
    file = write_pair(calls[0], stack, calls[1], parameters_in(calls[0], places))
    for call in calls:
        refuse_absent(call, tree, places)
    pair = pair_of(calls[0], file, tree, here.relative_to(tree.path))
    names = [call.name if calls[0].name != calls[1].name else f"{call.module}:{call.name}" for call in calls]
    labels = side_labels(asked, names)
    name = f"{comparison_name(labels)} {calls[0].given}".removesuffix(" ()")
    joined = join(pair, "baseline", pair, pair.variants[0], name)

    files = zip(("baseline", *joined.variants), (file_of(call, places) for call in calls), strict=True)
    functions = {side: file for side, file in files if file}

    def results(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        return measured(calls[0], run_joined(joined, options, facts, seed, notify), functions)

    return labelled(name, labels, results)


def plan_function(
    call: FunctionCall, asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack, answered: Answered | None
) -> Chosen:
    from perfproof.app.ab.checkouts import changes_of, import_from, in_trees, place_of, remarks_on, trees_of
    from perfproof.bench.forms.two_environments import Setting, run_apart
    from perfproof.bench.forms.two_files import join

    refuse_unknown(call)
    trees = trees_of(asked.revisions, Path.cwd(), stack)
    file = write_pair(call, stack, None, parameters_in(call, places_in(trees[-1], place_of(Path.cwd()))))
    labels = side_labels(asked, ["", ""], settings_of([], trees))
    name = comparison_name(side_labels(asked, ["", ""], [tree.name for tree in trees]), call.title)
    pairs = [pair_of(call, file, tree, place_of(Path.cwd())) for tree in trees]
    side = pairs[0].variants[0]
    a, b = (
        Setting(join(pair, side, pair, side, name), import_from(tree)) for pair, tree in zip(pairs, trees, strict=True)
    )
    here = replace(facts, has_package=lambda package: facts.has_package(package) or in_trees(package, trees))

    def results(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        found = run_apart(
            a,
            b,
            options,
            here,
            seed,
            notify,
            remarks_on(trees),
            answered,
            answers_may_differ=asked.output_may_differ,
            values_may_repeat=True,
        )
        return measured(call, found)

    return replace(labelled(name, labels, results), changes=changes_of([trees]))


def measured(
    call: FunctionCall, results: "Iterator[Finished]", functions: Mapping[str, FunctionSource] = MappingProxyType({})
) -> "Iterator[Finished]":
    """Results in words of the command line; without a verdict if every call got the same values."""
    from perfproof.bench.forms.fixed_values import take_verdict

    with closing(results) as found:  # type: ignore[type-var]
        for done in found:
            result = done.result
            result.path, result.functions = "", dict(functions)  # the pair's own file is temporary
            result.reason = _in_words(call, result.reason)
            for check in result.checks:
                check.detail = _in_words(call, check.detail)
            for said in result.warnings:
                said.text = _in_words(call, said.text)
            for judged in result.ratios.values():
                judged.note = _in_words(call, judged.note)
            fixed = any(one.name == "values change" and one.result == "not-run" for one in result.checks)
            if fixed and result.status == "ok":
                take_verdict(result, REMEDY)
            yield done


def _in_words(call: FunctionCall, text: str) -> str:
    """Places in the temporary file as the option that the line was made of."""
    text = DRAW.sub(REMEDY, text)
    text = text.replace(IN_PLACE, COPY_IN_PLACE).replace(CONSTANT, f"every call gets the same values: {REMEDY}")
    return PLACE.sub(lambda found: f"(in {call.title})" if found["name"] in SIDES else "(in --setup or --args)", text)
