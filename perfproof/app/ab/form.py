"""Which form of comparison was asked for: programs, files, environments, revisions, or a function."""

from contextlib import ExitStack

from perfproof.app.ab.asked import Asked
from perfproof.app.ab.chosen import Answered, Chosen
from perfproof.app.ab.function import function_of, plan_function, plan_two_functions, two_functions_of
from perfproof.app.ab.pairs import plan_environments, plan_files
from perfproof.app.ab.programs import plan_programs
from perfproof.app.ab.revisions import plan_revisions
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions


def choose_form(
    asked: Asked, options: RunOptions, facts: Facts, stack: ExitStack, answered: Answered | None = None
) -> Chosen:
    """Which of the forms it is; what to remove at the end is on the stack; `answered` may end revisions early."""
    if len(asked.revisions) not in (0, 2):
        raise UsageError(f"--rev needs two revisions, not {len(asked.revisions)}: --rev main --rev worktree")
    if asked.a is not None:
        _refuse_options_of_functions(asked)
        return plan_programs(asked, options, stack)
    if asked.of_programs:
        raise UsageError(f"{', '.join(asked.of_programs)}: only for whole programs; write the first as 'COMMAND'")
    if functions := two_functions_of(asked):
        return plan_two_functions(functions, asked, options, facts, stack)
    if call := function_of(asked):
        return plan_function(call, asked, options, facts, stack, answered)
    _refuse_options_of_functions(asked)
    if asked.revisions and asked.targets and not (asked.variables_a or asked.variables_b):
        return plan_revisions(asked, options, facts, stack, answered)
    changed = bool(asked.revisions) + bool(asked.variables_a or asked.variables_b) + (len(asked.targets) == 2)
    if len(asked.targets) not in (1, 2) or changed == 0:
        forms = "'CMD' 'CMD', two pair files, TARGET --env-b X=1, or TARGET --rev main --rev HEAD"
        raise UsageError(f"nothing to compare: write {forms}; see perfproof ab --help")
    if changed > 1:
        raise UsageError("change one thing at a time: two files, two environments or two revisions")
    return plan_environments(asked, options, facts) if len(asked.targets) == 1 else plan_files(asked, options, facts)


def _refuse_options_of_functions(asked: Asked) -> None:
    if given := asked.of_functions:
        raise UsageError(
            f"{', '.join(given)}: only for a function in a module of the current project, as in perfproof ab "
            "package.module:function --rev main --rev HEAD, or package.module:f package.module:g"
        )
