"""From what a person wrote after `perfproof ab` to comparisons: of programs, files, environments or revisions."""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfproof.app.session import Session, now
from perfproof.core.documents import Run, TargetResult
from perfproof.core.errors import ContractError, PerfproofError, UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.history.finding import CHANGES
from perfproof.pairs.pair import Broken, Pair

if TYPE_CHECKING:
    from perfproof.app.ab_function import FunctionCall
    from perfproof.bench.programs.program import Program
    from perfproof.bench.run import Finished
    from perfproof.core.documents import Status
    from perfproof.machine.worktrees import Tree

Measure = Callable[[str, Callable[..., None]], "Iterator[Finished]"]  # (seed, notify) -> results
Answered = Callable[[Sequence[float], float], bool]  # (units, systematic band): is that enough?
LABEL_LENGTH = 48
# The names that the bench has for the sides, in what it says about them.
SIDE = re.compile(r"(?:^|(?<=: ))b(?=:| at )|\b(?:the )?baseline(?= at |:|'s)|(?<=as )the baseline\b")
VARIANT = re.compile(r"(?P<target>.+\.py|[^:]+:[^:]+):(?P<variant>\w+)")


@dataclass(frozen=True)
class Asked:
    """The command line of `ab`, before it is known which form it is."""

    targets: tuple[str, ...] = ()
    a: str | None = None
    b: str | None = None
    others: tuple[str, ...] = ()  # further commands, each compared with a
    variables_a: tuple[str, ...] = ()
    variables_b: tuple[str, ...] = ()
    revisions: tuple[str, ...] = ()
    variant: str | None = None
    label_a: str | None = None
    label_b: str | None = None
    cwd: str | None = None
    prepare: str | None = None
    metrics: tuple[str, ...] = ()
    judged: str = "wall"
    warmup: int = 1
    ignore_exit: bool = False
    output_may_differ: bool = False
    sizes: tuple[str, ...] = ()  # of a pair, as --set gives them
    arguments: str | None = None  # of a function, as --args gives them
    setup: str | None = None  # what runs before they are evaluated

    @property
    def of_programs(self) -> list[str]:
        """Options that only make sense for whole programs, as far as they were given."""
        plain = Asked()
        names = {"b": "--b", "cwd": "--cwd", "prepare": "--prepare", "metrics": "--metric", "judged": "--judge"}
        names |= {"warmup": "--warmup", "ignore_exit": "--ignore-exit"}
        return [option for name, option in names.items() if getattr(self, name) != getattr(plain, name)]

    @property
    def of_functions(self) -> list[str]:
        """Options that only make sense for a function, as far as they were given."""
        names = {"--args": self.arguments, "--setup": self.setup}
        return [option for option, value in names.items() if value is not None]


@dataclass(frozen=True)
class Chosen:
    """One comparison, or several, ready to be measured."""

    names: tuple[str, ...]
    measure: Measure
    labels: tuple[str, ...] = ()  # of all sides, with the commits of revisions
    changes: str = ""  # the diff between two revisions


def with_commands(asked: Asked) -> Asked:
    """What was written without an option is a pair if there is one of that name, and else a command: side a, side b."""
    if asked.a is not None or not any(_is_command(text) for text in asked.targets):
        return asked
    pairs = [text for text in asked.targets if names_a_pair(text)]
    if pairs:
        other = next(text for text in asked.targets if text not in pairs)
        if asked.targets.index(other) == 0 and not other.split()[1:]:  # `python train.py`: two words of one command
            whole = shlex.join(asked.targets)
            raise UsageError(f"{other!r} and {pairs[0]!r} are two arguments: quote a command, as in '{whole}'")
        revisions = f"; two revisions of a pair: {pairs[0]} --rev main --rev HEAD"
        raise UsageError(f"{pairs[0]!r} is a pair and {other!r} is not: give two pairs or two commands{revisions}")
    commands = (*asked.targets, *([asked.b] if asked.b is not None else []))
    return replace(asked, targets=(), a=commands[0], b=(*commands, None)[1], others=commands[2:])


def _is_command(text: str) -> bool:
    """Words with spaces between them, or a program that can be started; a pair stays a pair."""
    return not names_a_pair(text) and (bool(text.split()[1:]) or shutil.which(text) is not None)


def names_a_pair(text: str) -> bool:
    from perfproof.pairs.targets import select

    target = _split_variant(text, None)[0]
    if target.endswith(".py") and not target.split()[1:]:
        return True  # a file that is not there is an error of its own
    try:
        return bool(select([target]))
    except PerfproofError:
        return False


def two_revisions(given: Sequence[str]) -> tuple[str, ...]:
    """`--rev main --rev HEAD`, or as git writes it, `--rev main..HEAD`; an end that is left out is HEAD."""
    ends = given[0].split("..") if len(given) == 1 else []
    return tuple(end or "HEAD" for end in ends) if len(ends) == 2 else tuple(given)


def choose_form(
    asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack, answered: Answered | None = None
) -> Chosen:
    """Which of the forms it is; what to remove at the end is on the stack; `answered` may end revisions early."""
    if len(asked.revisions) not in (0, 2):
        raise UsageError(f"--rev needs two revisions, not {len(asked.revisions)}: --rev main --rev worktree")
    if asked.a is not None:
        _refuse_options_of_functions(asked)
        return _programs(asked, options, stack)
    if asked.of_programs:
        raise UsageError(f"{', '.join(asked.of_programs)}: only for whole programs; write the first as 'COMMAND'")
    if call := _function(asked):
        return _function_at_revisions(call, asked, options, facts, stack, answered)
    _refuse_options_of_functions(asked)
    if asked.revisions and asked.targets and not (asked.variables_a or asked.variables_b):
        return _revisions(asked, options, facts, stack, answered)
    changed = bool(asked.revisions) + bool(asked.variables_a or asked.variables_b) + (len(asked.targets) == 2)
    if len(asked.targets) not in (1, 2) or changed == 0:
        forms = "'CMD' 'CMD', two pair files, TARGET --env-b X=1, or TARGET --rev main --rev HEAD"
        raise UsageError(f"nothing to compare: write {forms}; see perfproof ab --help")
    if changed > 1:
        raise UsageError("change one thing at a time: two files, two environments or two revisions")
    return _environments(asked, options, facts) if len(asked.targets) == 1 else _files(asked, options, facts)


def carry_out(chosen: Chosen, asked: Asked, session: Session, *, gate: bool) -> tuple[Run, int]:
    """Measure and save; the run and its exit code, which `gate` makes 1 if b is worse."""
    if gate and asked.a is not None and not _has_two(asked):
        raise UsageError("--gate needs something to compare with: add a command, --env-b X=1, or two --rev")
    stored = {**asdict(session.options), "ab": asdict(asked), "gate": gate}

    def results(seed: str, watch: object) -> "Iterator[Finished]":
        found = chosen.measure(seed, session.news.notify)
        return _gated(found, stored) if gate else found

    measured = session.measure([*chosen.names], "ab", stored, results)
    if chosen.changes:
        measured.folder.write(CHANGES, chosen.changes)
    failed = not measured.stopped and any(one.gate == "fail" for one in measured.run.targets)
    return measured.run, max(int(failed), measured.exit_code)


def _gated(results: "Iterator[Finished]", options: dict[str, Any]) -> "Iterator[Finished]":
    """Each result with what the gate says about it."""
    from perfproof.report.gate import decision

    with closing(results) as found:  # type: ignore[type-var]
        for done in found:
            done.result.gate = decision(options, done.result)
            yield done


def _programs(asked: Asked, options: RunOptions, stack: ExitStack) -> Chosen:
    if asked.targets or asked.variant:
        raise UsageError("--a runs whole programs and a target is a pair: give one or the other")
    if asked.sizes:
        raise UsageError("--set is for pairs: write the sizes into the commands, or use `perfproof sweep`")
    return _several(asked, options, stack) if asked.others else _comparison(asked, options, stack)


def _has_two(asked: Asked) -> bool:
    """Is there anything to compare the first command with?"""
    return asked.b is not None or bool(asked.revisions or asked.variables_a or asked.variables_b)


def _several(asked: Asked, options: RunOptions, stack: ExitStack) -> Chosen:
    """Every further command against the first, one comparison after the other; their intervals hold together."""
    from perfproof.stats.verdicts import simultaneous_level

    commands = (asked.a or "", asked.b or "", *asked.others)
    if asked.label_b or asked.revisions or asked.variables_a or asked.variables_b:
        raise UsageError(f"--label-b, --env-a, --env-b and --rev need one or two commands: {len(commands)} were given")
    if not_there := next((text for text in commands if not _is_command(text)), None):
        raise UsageError(f"{not_there!r} is no program here: quote each command, as in 'sleep 1'")
    texts = [_short(text) for text in commands]
    labels = [f"{text} ({at})" if texts.count(text) > 1 else text for at, text in enumerate(texts, 1)]
    level, budget = simultaneous_level(variants=len(commands) - 1), options.budget
    own = replace(options, budget=budget / (len(commands) - 1) if budget else None)
    each = []
    for at in range(1, len(commands)):
        two = replace(asked, b=commands[at], others=(), label_a=asked.label_a or labels[0], label_b=labels[at])
        each.append(_comparison(two, own, stack, level=level, outputs=f"outputs/{at}"))

    return _one_by_one(each)


def _comparison(asked: Asked, options: RunOptions, stack: ExitStack, **decided: Any) -> Chosen:
    """Two programs, or one alone; `decided` are fields of the plan."""
    from perfproof.app.revisions import changes_of, of_working_tree, programs_import_from, submodules, trees_of
    from perfproof.bench.programs.compare import run_programs
    from perfproof.bench.programs.metrics import OWN_NAMES, parse_metric
    from perfproof.bench.programs.plan import ProgramPlan
    from perfproof.bench.programs.program import Program, split_command

    alone = not _has_two(asked)
    if alone and asked.label_b:
        raise UsageError("--label-b needs a second command")
    metrics = tuple(parse_metric(text) for text in asked.metrics)
    known = (*OWN_NAMES, *(metric.name for metric in metrics))
    if asked.judged not in known:
        raise UsageError(f"--judge {asked.judged!r} is unknown: choose {', '.join(known)}")
    if len(set(known)) < len(known):
        raise UsageError("two metrics have one name: give each --metric a name of its own")
    commands = [split_command(asked.a or "", "command a"), split_command(asked.b or asked.a or "", "command b")]
    variables = [parse_variables(asked.variables_a, "--env-a"), parse_variables(asked.variables_b, "--env-b")]
    trees = trees_of(asked.revisions, _folder(asked), stack)
    folders = _folders(asked, trees)
    texts = [_short(asked.a or ""), _short(asked.b or asked.a or "")]
    labels = _labels(asked, texts, _settings(variables, trees))
    names = _labels(asked, texts, [tree.name for tree in trees]) if trees else labels
    paths = [programs_import_from(tree) for tree in trees] or [{}, {}]
    own = [path | given for path, given in zip(paths, variables, strict=True)]
    a, b = (Program(*side) for side in zip(labels, commands, folders, own, strict=True))
    prepare = None
    if asked.prepare is not None:
        prepare = Program("--prepare", split_command(asked.prepare, "--prepare"), _folder(asked))
    lent = of_working_tree(_folder(asked), trees, folders, commands, variables)
    _refuse_absent(a, b, prepare)
    plan = ProgramPlan(
        name=labels[0] if alone else _name(names, texts[0] if texts[0] == texts[1] else ""),
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
        warnings=(*submodules(trees), *lent),
        **decided,
    )
    sides = labels[:1] if alone else labels
    made = _labelled(plan.name, sides, lambda seed, notify: run_programs(replace(plan, seed=seed), notify))
    return replace(made, changes=changes_of([trees]))


def _files(asked: Asked, options: RunOptions, facts: Facts) -> Chosen:
    from perfproof.bench.forms.two_files import choose_variant, join, run_joined

    if asked.output_may_differ:
        raise UsageError("--output-may-differ: two pair files have one oracle; compare two --rev, or two commands")
    (a, variant_a), (b, variant_b) = (_pair(target, asked.variant) for target in asked.targets)
    sides = [choose_variant(a, variant_a), choose_variant(b, variant_b)]
    labels = _labels(asked, [f"{a.name} {sides[0]}", f"{b.name} {sides[1]}"])
    name = _name(labels)
    joined, sizes = join(a, sides[0], b, sides[1], name), _sizes(asked, a)
    return _labelled(name, labels, lambda seed, notify: run_joined(joined, options, facts, seed, notify, sizes))


def _environments(asked: Asked, options: RunOptions, facts: Facts) -> Chosen:
    from perfproof.bench.forms.two_environments import Setting, refuse_fixed, run_apart
    from perfproof.bench.forms.two_files import choose_variant, join

    pair, variant = _pair(asked.targets[0], asked.variant)
    side = choose_variant(pair, variant)
    variables = [parse_variables(asked.variables_a, "--env-a"), parse_variables(asked.variables_b, "--env-b")]
    for one in variables:
        refuse_fixed(one)
    labels = _labels(asked, ["", ""], _settings(variables, []))
    name = _name(labels, pair.name)
    joined = join(pair, side, pair, side, name)
    a, b = (Setting(joined, one) for one in variables)
    more = ((), None, _sizes(asked, pair), 1, asked.output_may_differ)
    return _labelled(name, labels, lambda seed, notify: run_apart(a, b, options, facts, seed, notify, *more))


def _function(asked: Asked) -> "FunctionCall | None":
    """The function that is compared; None if the targets are pairs."""
    from perfproof.app.ab_function import function_call

    wanted = [text for text in asked.targets if ":" in text and not names_a_pair(text)]
    calls = [call for text in wanted if (call := function_call(text, asked.arguments, asked.setup))]
    if not calls:
        return None
    first, given = asked.targets[0], asked.variables_a or asked.variables_b or asked.sizes or asked.variant
    if len(asked.targets) > 1 or len(asked.revisions) != 2 or given:
        raise UsageError(
            f"a function is compared with itself at two revisions, and with nothing else: perfproof ab {first} "
            "--rev main --rev HEAD; two functions are compared in Python: perfproof.compare(f, g, inputs)"
        )
    return calls[0]


def _refuse_options_of_functions(asked: Asked) -> None:
    if given := asked.of_functions:
        raise UsageError(
            f"{', '.join(given)}: only for a function of the project around here, as in perfproof ab "
            "package.module:function --rev main --rev HEAD"
        )


def _function_at_revisions(
    call: "FunctionCall", asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack, answered: Answered | None
) -> Chosen:
    from perfproof.app.ab_function import measured, pair_of, write_pair
    from perfproof.app.revisions import changes_of, import_from, in_trees, place_of, submodules, trees_of
    from perfproof.bench.forms.two_environments import Setting, run_apart
    from perfproof.bench.forms.two_files import join

    file = write_pair(call, stack)
    trees = trees_of(asked.revisions, Path.cwd(), stack)
    labels = _labels(asked, ["", ""], _settings([], trees))
    name = _name(_labels(asked, ["", ""], [tree.name for tree in trees]), call.title)
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
            submodules(trees),
            answered,
            answers_may_differ=asked.output_may_differ,
            values_may_repeat=True,
        )
        return measured(call, found)

    return replace(_labelled(name, labels, results), changes=changes_of([trees]))


def _revisions(asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack, answered: Answered | None) -> Chosen:
    """A pair at two revisions; or several, one after the other, whose intervals hold together."""
    from perfproof.app.revisions import changes_of, trees_of
    from perfproof.machine.worktrees import repository_of

    files = list(dict.fromkeys(one for target in asked.targets for one in _files_of(target, asked.variant)))
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
    made = each[0] if len(each) == 1 else _one_by_one(each)
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


def _files_of(target: str, variant: str | None) -> list[tuple[Path, str | None]]:
    """The files of the pairs that are named, with the variant to measure. A file may be there at a revision only."""
    from perfproof.pairs.targets import select

    target, variant = _split_variant(target, variant)
    if target.endswith(".py"):
        return [(Path(os.path.abspath(target)), variant)]
    return [(pair.path, variant) for pair in select([target])]


def _at_revisions(apart: Apart, file: Path, variant: str | None) -> Chosen:
    """One of several that cannot be compared is refused by itself: the others are measured."""
    from perfproof.app.revisions import place_of

    labels = _labels(apart.asked, ["", ""], _settings([], apart.trees))
    of_file = str(place_of(file).with_suffix(""))
    pair = f"{of_file}:{variant}" if variant and apart.comparisons > 1 else of_file  # a file may be there twice
    name = _name(_labels(apart.asked, ["", ""], [tree.name for tree in apart.trees]), pair)
    try:
        return _labelled(name, labels, _measured_apart(apart, file, variant, name))
    except (ContractError, UsageError) as error:
        if apart.comparisons == 1:
            raise
        return _labelled(name, labels, _without_result(name, "refused", str(error)))


def _measured_apart(apart: Apart, file: Path, variant: str | None, name: str) -> Measure:
    from perfproof.app.revisions import import_from, in_trees, lend_pair, pair_at, place_of, submodules
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
    notes, sizes = (*submodules(trees), *lent), _sizes(asked, before)
    more = (notes, apart.answered, sizes, apart.comparisons, asked.output_may_differ)
    return lambda seed, notify: run_apart(a, b, apart.options, here, seed, notify, *more)


def _without_result(name: str, status: "Status", reason: str) -> Measure:
    """One of several that was not measured, and why."""
    from perfproof.bench.run import Finished

    def measured(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        yield Finished(TargetResult(target=name, status=status, reason=reason, started=now()), [], "")

    return measured


def _one_by_one(each: Sequence[Chosen]) -> Chosen:
    """Several comparisons as one, measured one after the other."""

    def measured(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        for one in each:
            yield from one.measure(seed, notify)

    names, labels = ([text for one in each for text in getattr(one, field)] for field in ("names", "labels"))
    return Chosen(tuple(names), measured, tuple(labels))


def _sizes(asked: Asked, pair: Pair) -> dict[str, Any]:
    """Sizes and ranks given with --set: those of both sides."""
    from perfproof.pairs.sizes import parse_sizes

    return parse_sizes(asked.sizes, [pair]).get(pair.name, {})


def _labelled(name: str, labels: Sequence[str], measure: Measure) -> Chosen:
    """Results say what to call their sides: by the labels, or a and b if those are alike."""
    sides = labels if len(set(labels)) == len(labels) else ("a", "b")

    def measured(seed: str, notify: Callable[..., None]) -> "Iterator[Finished]":
        with closing(measure(seed, notify)) as results:  # type: ignore[type-var]
            for done in results:
                done.result.labels = dict(zip(("baseline", "b"), sides, strict=False))
                done.result.reason = _named(done.result.reason, sides)
                for check in done.result.checks:
                    check.detail = _named(check.detail, sides)
                for said in done.result.warnings:
                    said.text = _named(said.text, sides)
                yield done

    return Chosen((name,), measured, tuple(sides))


def _named(text: str, sides: Sequence[str]) -> str:
    return SIDE.sub(lambda found: sides[-1] if found[0] == "b" else sides[0], text)


def parse_variables(items: Sequence[str], option: str) -> dict[str, str]:
    found = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise UsageError(f"{option} {item!r} is no variable: write NAME=VALUE")
        found[name] = value
    return found


def _split_variant(target: str, variant: str | None) -> tuple[str, str | None]:
    match = None if os.path.exists(target) else VARIANT.fullmatch(target)
    return (match["target"], match["variant"]) if match else (target, variant)


def _pair(target: str, variant: str | None) -> tuple[Pair, str | None]:
    """The one pair that a target names, and the variant written behind it (or asked for)."""
    from perfproof.pairs.targets import select

    target, variant = _split_variant(target, variant)
    found = select([target])
    if len(found) != 1:
        raise UsageError(f"{target!r} names {len(found)} pairs; `ab` compares one: write TARGET:PAIR or a file")
    if isinstance(found[0], Broken):
        raise ContractError(*_where_and_what(found[0].error))
    return found[0], variant


def _where_and_what(error: str) -> tuple[str, str]:
    where, _, what = error.partition(": ")
    return where, what


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
    from perfproof.app.revisions import place_of

    inside = place_of(folder)
    for tree in trees:
        if not (tree.path / inside).is_dir():
            raise UsageError(f"there is no folder {inside} at revision {tree.label}; choose another with --cwd")
    return [tree.path / inside for tree in trees]


def _labels(asked: Asked, usual: list[str], differing: list[str] | None = None) -> list[str]:
    """How the two sides are called: as the user says, or by what differs between them."""
    labels = differing if differing and usual[0] == usual[1] else usual
    return [asked.label_a or labels[0], asked.label_b or labels[1]]


def _settings(variables: list[dict[str, str]], trees: "list[Tree]") -> list[str] | None:
    """What differs beside the command: revisions, or variables; None where neither does."""
    if trees:
        return [tree.label for tree in trees]
    if not any(variables):
        return None
    return [" ".join(f"{key}={value}" for key, value in one.items()) or "as it is" for one in variables]


def _name(labels: Sequence[str], what: str = "") -> str:
    """What the history knows it by. Revisions are in it as they were written, so that it stays the same."""
    name = f"{labels[0]} against {labels[1] if labels[1] != labels[0] else 'itself'}"
    return f"{what}: {name}" if what and not labels[0].startswith(what) else name


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL_LENGTH else f"{line[: LABEL_LENGTH - 3]}..."


def _refuse_absent(*programs: "Program | None") -> None:
    """A program that is not there is refused before anything is run or saved."""
    for program in programs:
        if program is not None:
            program.executable()
