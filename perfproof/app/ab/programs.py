"""Whole programs: two commands, one in two environments or at two revisions, several, or one alone."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfproof.app.ab.asked import Asked, parse_variables
from perfproof.app.ab.chosen import Chosen, labelled, one_by_one
from perfproof.app.ab.labels import comparison_name, settings_of, shortened, side_labels
from perfproof.app.ab.targets import is_command
from perfproof.core.errors import UsageError
from perfproof.core.options import RunOptions

if TYPE_CHECKING:
    from perfproof.bench.programs.program import Program
    from perfproof.machine.worktrees import Tree


def plan_programs(asked: Asked, options: RunOptions, stack: ExitStack) -> Chosen:
    if asked.targets or asked.variant:
        raise UsageError("--a runs whole programs and a target is a pair: give one or the other")
    if asked.sizes:
        raise UsageError("--set is for pairs: write the sizes into the commands, or use `perfproof sweep`")
    return _several(asked, options, stack) if asked.others else _comparison(asked, options, stack)


def _several(asked: Asked, options: RunOptions, stack: ExitStack) -> Chosen:
    """Every further command against the first, one comparison after the other; their intervals hold together."""
    from perfproof.stats.verdicts import simultaneous_level

    commands = (asked.a or "", asked.b or "", *asked.others)
    if asked.label_b or asked.revisions or asked.variables_a or asked.variables_b:
        raise UsageError(f"--label-b, --env-a, --env-b and --rev need one or two commands: {len(commands)} were given")
    if not_there := next((text for text in commands if not is_command(text)), None):
        raise UsageError(f"{not_there!r} is no program here: quote each command, as in 'sleep 1'")
    texts = [shortened(text) for text in commands]
    labels = [f"{text} ({at})" if texts.count(text) > 1 else text for at, text in enumerate(texts, 1)]
    level, budget = simultaneous_level(variants=len(commands) - 1), options.budget
    own = replace(options, budget=budget / (len(commands) - 1) if budget else None)
    each = []
    for at in range(1, len(commands)):
        two = replace(asked, b=commands[at], others=(), label_a=asked.label_a or labels[0], label_b=labels[at])
        each.append(_comparison(two, own, stack, level=level, outputs=f"outputs/{at}"))

    return one_by_one(each)


def _comparison(asked: Asked, options: RunOptions, stack: ExitStack, **decided: Any) -> Chosen:
    """Two programs, or one alone; `decided` are fields of the plan."""
    from perfproof.app.ab.checkouts import changes_of, of_working_tree, programs_import_from, remarks_on, trees_of
    from perfproof.bench.programs.compare import run_programs
    from perfproof.bench.programs.metrics import OWN_NAMES, parse_metric
    from perfproof.bench.programs.plan import ProgramPlan
    from perfproof.bench.programs.program import Program, split_command

    alone = not asked.has_two
    if alone and asked.label_b:
        raise UsageError("--label-b needs a second command")
    metrics = tuple(parse_metric(text) for text in asked.metrics)
    known = (*OWN_NAMES, *(metric.name for metric in metrics))
    if asked.judged not in known:
        raise UsageError(f"--judge {asked.judged!r} is unknown: choose {', '.join(known)}")
    if wrong := next((name for name in asked.guards if name not in known), None):
        raise UsageError(
            f"--guard {wrong!r} is unknown: choose {', '.join(one for one in known if one != asked.judged)}"
        )
    if asked.judged in asked.guards:
        raise UsageError(f"--guard {asked.judged}: the gate judges that already; leave it out")
    if len(set(known)) < len(known):
        raise UsageError("two metrics have one name: give each --metric a name of its own")
    commands = [split_command(asked.a or "", "command a"), split_command(asked.b or asked.a or "", "command b")]
    variables = [parse_variables(asked.variables_a, "--env-a"), parse_variables(asked.variables_b, "--env-b")]
    trees = trees_of(asked.revisions, _folder(asked), stack)
    folders = _folders(asked, trees)
    texts = [shortened(asked.a or ""), shortened(asked.b or asked.a or "")]
    labels = side_labels(asked, texts, settings_of(variables, trees))
    names = side_labels(asked, texts, [tree.name for tree in trees]) if trees else labels
    paths = [programs_import_from(tree) for tree in trees] or [{}, {}]
    own = [path | given for path, given in zip(paths, variables, strict=True)]
    a, b = (Program(*side) for side in zip(labels, commands, folders, own, strict=True))
    prepare = None
    if asked.prepare is not None:
        prepare = Program("--prepare", split_command(asked.prepare, "--prepare"), _folder(asked))
    lent = of_working_tree(_folder(asked), trees, folders, commands, variables)
    _refuse_absent(a, b, prepare)
    plan = ProgramPlan(
        name=labels[0] if alone else comparison_name(names, texts[0] if texts[0] == texts[1] else ""),
        a=a,
        b=None if alone else b,
        prepare=prepare,
        metrics=metrics,
        judged=asked.judged,
        warmup=asked.warmup,
        timeout=options.timeout,
        effort=options.effort,
        delta=options.delta,
        budget=options.budget,
        ignore_exit=asked.ignore_exit,
        warnings=(*remarks_on(trees, differs=commands[0] != commands[1] or variables[0] != variables[1]), *lent),
        **decided,
    )
    sides = labels[:1] if alone else labels
    made = labelled(plan.name, sides, lambda seed, notify: run_programs(replace(plan, seed=seed), notify))
    return replace(made, changes=changes_of([trees]))


def _folder(asked: Asked) -> Path:
    folder = Path(os.path.abspath(asked.cwd or "."))
    if not folder.is_dir():
        raise UsageError(f"--cwd {asked.cwd!r} is no folder")
    return folder


def _folders(asked: Asked, trees: "list[Tree]") -> list[Path]:
    """Where the two programs run: the given folder, in each revision's tree where there are two."""
    folder = _folder(asked)
    if not trees:
        return [folder, folder]
    from perfproof.app.ab.checkouts import place_of

    inside = place_of(folder)
    for tree in trees:
        if not (tree.path / inside).is_dir():
            raise UsageError(f"there is no folder {inside} at revision {tree.label}; choose another with --cwd")
    return [tree.path / inside for tree in trees]


def _refuse_absent(*programs: "Program | None") -> None:
    """A program that is not there is refused before anything is run or saved."""
    for program in programs:
        if program is not None:
            program.executable()
