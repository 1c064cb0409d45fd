"""Two pair files, or one pair in two environments."""

from perfproof.app.ab.asked import Asked, parse_variables
from perfproof.app.ab.chosen import Chosen, labelled
from perfproof.app.ab.labels import comparison_name, settings_of, side_labels
from perfproof.app.ab.targets import pair_named
from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions


def plan_files(asked: Asked, options: RunOptions, facts: Facts) -> Chosen:
    from perfproof.bench.forms.two_files import choose_variant, join, run_joined

    if asked.output_may_differ:
        raise UsageError("--output-may-differ: two pair files have one oracle; compare two --rev, or two commands")
    (a, variant_a), (b, variant_b) = (pair_named(target, asked.variant) for target in asked.targets)
    sides = [choose_variant(a, variant_a), choose_variant(b, variant_b)]
    labels = side_labels(asked, [f"{a.name} {sides[0]}", f"{b.name} {sides[1]}"])
    name = comparison_name(labels)
    joined, sizes = join(a, sides[0], b, sides[1], name), asked.sizes_of(a)
    return labelled(name, labels, lambda seed, notify: run_joined(joined, options, facts, seed, notify, sizes))


def plan_environments(asked: Asked, options: RunOptions, facts: Facts) -> Chosen:
    from perfproof.bench.forms.two_environments import Setting, refuse_fixed, run_apart
    from perfproof.bench.forms.two_files import choose_variant, join

    pair, variant = pair_named(asked.targets[0], asked.variant)
    side = choose_variant(pair, variant)
    variables = [parse_variables(asked.variables_a, "--env-a"), parse_variables(asked.variables_b, "--env-b")]
    for one in variables:
        refuse_fixed(one)
    labels = side_labels(asked, ["", ""], settings_of(variables, []))
    name = comparison_name(labels, pair.name)
    joined = join(pair, side, pair, side, name)
    a, b = (Setting(joined, one) for one in variables)
    more = ((), None, asked.sizes_of(pair), 1, asked.output_may_differ)
    return labelled(name, labels, lambda seed, notify: run_apart(a, b, options, facts, seed, notify, *more))
