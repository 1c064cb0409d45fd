"""Verify and measure pairs: a baseline and its faster versions.

\b
perfproof run my_pair.py                         a pair of yours; perfproof new writes a template
perfproof run my_pair.py --effort quick          takes seconds instead of a minute; only a hint
perfproof run my_pair.py --set n=4096            another workload size
perfproof run ch01:batched_gemm -o result.md     a shipped pair, with the result as Markdown

A pair is a Python file with a baseline and one or more versions that should be faster. A target is a pair
(ch01:batched_gemm), a chapter of pairs (ch01), a lab (labs/async_input_pipeline), a glob, or a pair file of your own.
Without a target, the tour is measured: a selection of the shipped pairs, one per chapter.
"""

import sys
from typing import Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

PLACE = "Measure 1"  # in perfproof --help
SEVERAL_FILES = True  # -o may be given several times

TOUR_SECONDS = 60.0  # per pair: with half of it most had too few launches for a verdict


def command(
    targets: Annotated[
        list[str] | None,
        argument(
            "TARGETS",
            "Chapter, pair, lab, glob or path. [default: the tour, a selection of the shipped pairs]",
            show_default=False,
        ),
    ] = None,
    keyword: values.Keyword = None,
    effort: values.Effort = None,
    budget: values.Budget = None,
    timeout: values.Timeout = None,
    fast: values.Fast = False,
    sizes: Annotated[
        list[str] | None,
        option("--set TARGET.KEY=VALUE", "Override a workload size, e.g. ch01:batched_gemm.count=80 (repeatable)."),
    ] = None,
    device: values.Device = None,
    variants: values.Variants = None,
    delta: values.Delta = None,
    threads: values.Threads = None,
    seed: Annotated[
        str | None, option("--seed HEX", "Seed of the inputs; the seed of an earlier run gives the same values.")
    ] = None,
    shared: values.Shared = False,
    allow: values.Allow = None,
    telemetry: values.Telemetry = True,
    sanitize: Annotated[
        bool, option("--sanitize", "Also run every side under compute-sanitizer (memcheck and racecheck).")
    ] = False,
    profile: Annotated[
        str | None,
        option("--profile PRESET", "After measuring, profile each target with this preset: minimal, roofline or deep."),
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: values.Format = "table",
    details: values.Details = False,
    notes: values.Notes = False,
    quiet: values.Quiet = False,
) -> int:
    from dataclasses import replace

    from perfproof.app.run import choose, execute, with_variants
    from perfproof.app.run_profiles import profile_measured
    from perfproof.app.session import Session
    from perfproof.cli.show.progress import progress_line
    from perfproof.cli.show.run import Show, print_made
    from perfproof.core.options import RunOptions
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import parse_allowed
    from perfproof.pairs.targets import parse_sizes
    from perfproof.profile.presets import check_preset

    show = Show(format, json, details, notes, quiet)
    options = RunOptions(
        targets=tuple(targets or ()),
        keyword=keyword,
        fast=fast,
        device=device,
        allow=parse_allowed(allow or []),
        artifacts_dir=artifacts_dir,
        telemetry=telemetry,
        sanitize=sanitize,
        **values.parsed(effort=effort, budget=budget, timeout=timeout, delta=delta, threads=threads, seed=seed),
    )
    facts = read_facts(device)
    pairs, names = with_variants(choose(options.targets, keyword, facts), variants or [])
    options = replace(options, sizes=parse_sizes(sizes or [], pairs), variants=names)
    if not targets and keyword is None and options.budget is None:
        options = replace(options, budget=TOUR_SECONDS * len(pairs))
        if not (json or quiet):
            about = f"the tour: {len(pairs)} pairs of different chapters, at most {len(pairs)} minutes"
            print(about, file=sys.stderr)
    preset = check_preset(profile) if profile else ""
    with progress_line(quiet=json, silent=quiet) as news:
        run, code = execute(pairs, Session(options, facts, news, shared))
    if preset not in ("", "none"):
        profile_measured(run, pairs, facts, options, preset)
    print_made(run, show)
    return code
