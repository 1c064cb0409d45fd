"""Compare programs, pairs, revisions or servers; time a program.

\b
perfproof ab './old in.txt' './new in.txt'                two programs, timed as whole processes
perfproof ab './one' './two' './three'                    each further program against the first
perfproof ab './one'                                      one program alone: its times, without a verdict
perfproof ab 'python train.py' --env-b OMP_NUM_THREADS=4  one program, two environments
perfproof ab 'python train.py' --rev main --rev worktree  one program, at two revisions
perfproof ab './serve' './serve -q' --metric 'tps:higher=json:out.json:stats.tps' --judge tps
perfproof ab old.py new.py:tiled                          the variants of two pair files
perfproof ab my_pair.py --env-b NVIDIA_TF32_OVERRIDE=0    one pair, two environments
perfproof ab ch04:ddp_overlap --set ranks=4 --env-b NCCL_ALGO=Tree
perfproof ab my_pair.py --rev main --rev HEAD             one pair, at two revisions
perfproof ab benchmarks --rev main --rev HEAD --gate      every pair of a folder, behind one gate
perfproof ab ./old ./new --gate --judge cpu --guard memory
perfproof ab mypkg.sort:merge --rev main --rev HEAD --args 'np.random.rand(1000)'
perfproof ab mypkg.sort:merge mypkg.sort:merge_fast --args 'np.random.rand(1000)'
perfproof ab http://a:8000 http://b:8000 --rate 5         two servers, in interleaved blocks of requests
perfproof ab 'serve --demo' 'serve --demo --token-budget 64' --gate

The ratio is a divided by b: above 1, b is faster (or needs less, or has the better metric). What you write decides what
is compared: a pair name or a bare .py file is a pair; module:function is a function in the current project; host:port,
builtin and 'serve ...' are servers; anything else is run as a command. A command is split into arguments; no shell is
used. The revision `worktree` means the files as they are now.
"""

import sys
from typing import Annotated

import typer

from perfproof.cli import values
from perfproof.cli.values import argument, option

PLACE = "Measure 2"  # in perfproof --help
SEVERAL_FILES = True  # -o may be given several times


def command(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        argument(
            "A [B ...]",
            "Commands, servers, pairs or functions (module:function) to compare; one pair or function with --rev.",
            show_default=False,
        ),
    ] = None,
    a: Annotated[str | None, option("--a CMD", "Command of side a; the same as writing it first.")] = None,
    b: Annotated[str | None, option("--b CMD", "Command of side b; the same as writing it second.")] = None,
    env_a: Annotated[
        list[str] | None, option("--env-a X=1", "Set this environment variable for side a (repeatable).")
    ] = None,
    env_b: Annotated[
        list[str] | None, option("--env-b X=1", "Set this environment variable for side b (repeatable).")
    ] = None,
    rev: Annotated[
        list[str] | None,
        option("--rev REV", "Git revision, or worktree (the files as they are); give it twice: a, then b."),
    ] = None,
    variant: Annotated[
        str | None, option("--variant NAME", "Variant of the pair to measure. [default: its first]")
    ] = None,
    sizes: Annotated[
        list[str] | None,
        option(
            "--set KEY=VALUE", "Override a workload size of the pair, or its number of ranks: ranks=4 (repeatable)."
        ),
    ] = None,
    arguments: Annotated[
        str | None,
        option("--args TEXT", "Arguments of the function, written as in a call; evaluated anew for every call."),
    ] = None,
    setup: Annotated[
        str | None, option("--setup CODE", "Python code that runs before --args, such as imports; not timed.")
    ] = None,
    label_a: Annotated[str | None, option("--label-a TEXT", "Name of side a in the results.")] = None,
    label_b: Annotated[str | None, option("--label-b TEXT", "Name of side b in the results.")] = None,
    cwd: Annotated[str | None, option("--cwd DIR", "Folder that the programs run in.")] = None,
    prepare: Annotated[
        str | None, option("--prepare CMD", "Command to run before each run of either program; not timed.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        option(
            "--metric SPEC",
            "Read a number from the output: NAME:higher=regex:PATTERN, NAME:lower=json:[FILE:]KEY.KEY.",
        ),
    ] = None,
    judge: Annotated[
        str,
        option(
            "--judge NAME", "Quantity that gives the verdict: wall, cpu, memory or a metric; servers: TTFT, TPOT, ..."
        ),
    ] = "wall",
    warmup: Annotated[int, option("--warmup N", "Number of warm-up runs of each program; not timed.", min=0)] = 1,
    ignore_exit: Annotated[bool, option("--ignore-exit", "Measure programs even if they exit with an error.")] = False,
    guard: Annotated[
        list[str] | None,
        option("--guard NAME", "With --gate: also fail if b is worse in this: memory, cpu, wall (repeatable)."),
    ] = None,
    gate: Annotated[
        bool,
        option(
            "--gate",
            "Exit with 1 if b is certainly slower and its ratio is beyond --delta, or if b prints something else.",
        ),
    ] = False,
    strict: Annotated[
        bool,
        option(
            "--strict", "With --gate: exit with 3 if it is not decided, or if answers differ for other values (W147)."
        ),
    ] = False,
    output_may_differ: Annotated[
        bool,
        option(
            "--output-may-differ",
            "Do not compare what the two sides print or return (use it if that changes on purpose).",
        ),
    ] = False,
    rate: Annotated[str | None, option("--rate N", "Servers: requests per second. [default: 1]")] = None,
    users: Annotated[
        int | None, option("--users N", "Servers: closed loop with this many users, instead of --rate.", min=1)
    ] = None,
    workload: Annotated[
        str | None, option("--workload NAME", "Servers: workload, by name or as a YAML file. [default: chat]")
    ] = None,
    duration: Annotated[
        str | None, option("--duration TIME", "Servers: how long each server is tested. [default: 30 s]")
    ] = None,
    effort: values.Effort = None,
    budget: values.Budget = None,
    timeout: Annotated[
        str | None,
        option("--timeout TIME", "Time limit per run of a program, or for the pair: 90, 3m. [default: 300 s]"),
    ] = None,
    fast: values.Fast = False,
    delta: values.Delta = None,
    device: values.Device = None,
    threads: values.Threads = None,
    shared: values.Shared = False,
    allow: values.Allow = None,
    telemetry: values.Telemetry = True,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: values.Json = False,
    format: values.Format = "table",
    details: values.Details = False,
    notes: values.Notes = False,
    quiet: values.Quiet = False,
) -> int:
    from contextlib import ExitStack

    from perfproof.app.ab.servers import two_servers
    from perfproof.cli.ab_servers import Traffic, compare_servers, refuse_other_options

    if servers := two_servers([side for side in (a, *(targets or ()), b) if side is not None]):
        return compare_servers(ctx, servers, Traffic(rate, users, workload, duration))
    refuse_other_options(ctx, servers=False)

    from perfproof.app.ab.asked import Asked, two_revisions, with_commands
    from perfproof.app.ab.form import choose_form
    from perfproof.app.ab.run import carry_out
    from perfproof.app.session import Session
    from perfproof.cli.show.progress import progress_line
    from perfproof.cli.show.run import Show, print_made
    from perfproof.core.options import RunOptions
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import parse_allowed
    from perfproof.report.gate import gate_line

    show = Show(format, json, details, notes, quiet)
    given = Asked(
        targets=tuple(targets or ()),
        a=a,
        b=b,
        variables_a=tuple(env_a or ()),
        variables_b=tuple(env_b or ()),
        revisions=two_revisions(rev or ()),
        variant=variant,
        sizes=tuple(sizes or ()),
        arguments=arguments,
        setup=setup,
        label_a=label_a,
        label_b=label_b,
        cwd=cwd,
        prepare=prepare,
        metrics=tuple(metric or ()),
        judged=judge,
        guards=tuple(dict.fromkeys(guard or ())),
        warmup=warmup,
        ignore_exit=ignore_exit,
        output_may_differ=output_may_differ,
    )
    asked = with_commands(given)
    effort = effort or ("quick" if fast else None)
    options = RunOptions(
        targets=asked.targets,
        fast=fast and asked.a is None,  # a program has no smoke sizes
        device=device,
        allow=parse_allowed(allow or []),
        artifacts_dir=artifacts_dir,
        telemetry=telemetry,
        **values.parsed(effort=effort, budget=budget, timeout=timeout, delta=delta, threads=threads),
    )
    facts = read_facts(device)
    with ExitStack() as stack:
        chosen = choose_form(asked, options, facts, stack)
        with progress_line(quiet=json, silent=quiet) as news:
            run, code = carry_out(chosen, asked, Session(options, facts, news, shared), gate=gate, strict=strict)
    print_made(run, show)
    if gate:
        print(gate_line(run), file=sys.stderr)
    return code
