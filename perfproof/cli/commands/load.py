"""Test an LLM server under load.

Latency runs from the intended arrival of each request.

\b
perfproof load localhost:8000 --rate 5 --duration 60         Poisson arrivals, open loop
perfproof load localhost:8000 --users 32 --think 2           closed loop
perfproof load localhost:8000 --trace mooncake.jsonl         replay recorded traffic
perfproof load localhost:8000 --slo 'ttft_p99<500ms'         the highest rate within limits
perfproof load localhost:8000 --against localhost:8001       two servers, in interleaved blocks
perfproof load builtin --rate 20 --duration 5                a server of known behaviour, to try it
perfproof load selftest                                      how fast this host can send cleanly
perfproof load import result.json                            a result of vllm bench serve
perfproof load whatif FOLDER --speed 2 --replicas 2          a model of the server, with other settings
"""

from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values
from perfproof.cli.group import HELP_OPTIONS, with_default
from perfproof.cli.output import Output, choose_format, written_to

if TYPE_CHECKING:
    from pathlib import Path

    from perfproof.app.load import Done

PLACE = "Measure 7"  # in perfproof --help
FORMATS = ("table", "json", "html")
NEEDED_BY = {"think": "users", "speed": "trace", "shed": "cap"}  # options that alone would change nothing

app = typer.Typer(
    cls=with_default("test"),
    help=__doc__,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": HELP_OPTIONS},
)


@app.command()
def test(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="host:8000, an address, or builtin?base=5ms&slots=4.")],
    rate: Annotated[str, typer.Option("--rate", metavar="N", help="Requests per second; 2,4,8 with steps.")] = "1",
    arrivals: Annotated[
        str,
        typer.Option(
            "--arrivals",
            metavar="KIND",
            help="poisson, constant, gamma:cv=2, bursts:on=1,off=4, ramp:to=20 or steps.",
        ),
    ] = "poisson",
    users: Annotated[int | None, typer.Option("--users", metavar="N", help="Closed loop with so many users.")] = None,
    think: Annotated[str, typer.Option("--think", metavar="TIME", help="Pause of a user between requests.")] = "0",
    trace: Annotated[
        str | None, typer.Option("--trace", metavar="FILE", help="Replay Mooncake JSONL, Azure CSV or a CSV.")
    ] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="Replay at so many times the rate.")] = 1.0,
    duration: Annotated[
        str, typer.Option("--duration", metavar="TIME", help="Time of the test, or of each step.")
    ] = "30",
    workload: Annotated[
        str, typer.Option("--workload", metavar="NAME", help="chat, rag, agent, code, summarise, batch or a YAML file.")
    ] = "chat",
    prompt_tokens: Annotated[
        int | None, typer.Option("--prompt-tokens", metavar="N", min=1, help="Equal prompts, not a workload.")
    ] = None,
    output_tokens: Annotated[
        int | None, typer.Option("--output-tokens", metavar="N", min=1, help="Equal answers, not a workload.")
    ] = None,
    slo: Annotated[
        str | None, typer.Option("--slo", metavar="LIMITS", help="Search the rate: 'ttft_p99<500ms tpot_p99<40ms'.")
    ] = None,
    against: Annotated[str | None, typer.Option("--against", metavar="URL", help="Another server to compare.")] = None,
    price: Annotated[
        float | None, typer.Option("--price", metavar="USD", help="What the server costs per hour.")
    ] = None,
    cap: Annotated[int | None, typer.Option("--cap", metavar="N", min=1, help="At most so many in flight.")] = None,
    shed: Annotated[bool, typer.Option("--shed/--queue", help="Above the cap: drop, or wait (which counts).")] = False,
    timeout: Annotated[str, typer.Option("--timeout", metavar="TIME", help="Limit of each request.")] = "300",
    drain: Annotated[str, typer.Option("--drain", metavar="TIME", help="Wait for answers at the end.")] = "30",
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Which model to ask. [default: the server's first]")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", metavar="NAME", help="The variable that holds the key.")
    ] = None,
    body: Annotated[
        str | None, typer.Option("--body", metavar="JSON", help='More fields of a request: {"temperature": 0}.')
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of arrivals and lengths.")] = 1,
    salt: Annotated[
        str | None, typer.Option("--salt", metavar="TEXT", help="What every prompt begins with. [default: a new one]")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a check failed.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    format: Annotated[str | None, typer.Option("--format", metavar="NAME", help="table, json or html.")] = None,
    output: Output = None,
    json: Annotated[bool, typer.Option("--json", help="Print the document, and nothing else.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print the headline, and nothing else.")] = False,
) -> int:
    """Test a server: an open loop, a closed loop, a trace, a search or a comparison."""
    from perfproof.app.load import Asked, run_load
    from perfproof.core.errors import UsageError
    from perfproof.load.arrivals import parse_arrivals
    from perfproof.load.driver import Limits
    from perfproof.load.slo import parse_slo

    chosen = choose_format(format, json, output, FORMATS)
    written = {name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"}
    ways = [f"--{name}" for name in ("users", "trace", "slo") if ctx.params[name]]
    ways += ["--rate"] if "rate" in written and ways not in ([], ["--slo"]) else []
    for name, needed in NEEDED_BY.items():
        if name in written and ctx.params[needed] is None:
            raise UsageError(f"--{name} means something only with --{needed}: add it, or leave --{name} out")
    if len(ways) > 1:
        raise UsageError(f"{' and '.join(ways)}: choose one; each decides when requests are sent")
    if users is not None and users < 1:
        raise UsageError(f"--users {users}: a closed loop needs at least one")
    if speed <= 0:
        raise UsageError(f"--speed {speed:g} must be above 0")
    asked = Asked(
        url=url,
        workload=workload,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        arrivals=parse_arrivals(arrivals, rate),
        users=users,
        think=values.parse_duration(think, "--think"),
        trace=trace,
        speed=speed,
        seconds=values.parse_positive_duration(duration, "--duration"),
        limits=Limits(
            values.parse_positive_duration(timeout, "--timeout"), values.parse_duration(drain, "--drain"), cap, shed
        ),
        model=model,
        key_variable=api_key_env,
        extra=_parse_body(body),
        seed=seed,
        salt=salt,
        price=price,
        slo=tuple(parse_slo(slo)) if slo else (),
        against=against,
        artifacts_dir=artifacts_dir,
    )
    say = (lambda text: None) if quiet or chosen == "json" else _to_stderr
    if against is not None:
        from perfproof.app.load_against import run_against

        done = run_against(asked, say)
    else:
        done = run_load(asked, say)
    code = _show(done, chosen, output, quiet)
    failed = any(one.result == "fail" for one in done.result.checks)
    return code or int(strict and failed)


def _show(done: "Done", chosen: str, output: str | None, quiet: bool) -> int:
    from perfproof.app.load import PAGE, RESULT
    from perfproof.cli.width import text_width
    from perfproof.core.atomic import write_atomic
    from perfproof.report.load_page import render as page
    from perfproof.report.load_text import headline_of
    from perfproof.report.load_text import render as text

    write_atomic(done.folder / RESULT, done.result.model_dump_json(indent=1) + "\n")
    written = page(done.result, done.records)
    write_atomic(done.folder / PAGE, written)
    shown = {"json": lambda: done.result.model_dump_json(indent=1) + "\n", "html": lambda: written}
    with written_to(output):
        if quiet:
            print(headline_of(done.result))
        else:
            print(shown.get(chosen, lambda: text(done.result, text_width()))(), end="")
    if chosen == "table" and not quiet:
        print(f"\nsaved in {done.folder}\nnext: perfproof open {done.folder}")
    return done.exit_code


def _parse_body(text: str | None) -> dict[str, object]:
    from json import loads

    from perfproof.core.errors import UsageError

    try:
        said = loads(text) if text else {}
    except ValueError as error:
        raise UsageError(f"--body is no JSON: {error}") from None
    if not isinstance(said, dict):
        raise UsageError('--body must be an object, such as {"temperature": 0}')
    return said


def _to_stderr(text: str) -> None:
    import sys

    print(text, file=sys.stderr, flush=True)


@app.command()
def selftest(
    seconds: Annotated[float, typer.Option("--seconds", metavar="N", min=0.2, help="Of each rate.")] = 3.0,
    json: Annotated[bool, typer.Option("--json", help="Print the document, and nothing else.")] = False,
) -> int:
    """Find how many requests per second this host sends and reads cleanly."""
    from dataclasses import asdict
    from json import dumps

    from perfproof.load.selftest import find_limit, save

    found = find_limit(seconds, lambda trial: None if json else _to_stderr(trial.text))
    path = save(found)
    if json:
        print(dumps(asdict(found), indent=1))
    elif found.requests_per_second:
        print(
            f"this host sends {found.requests_per_second:.0f} req/s and reads {found.events_per_second:.0f} events per "
            f"second cleanly; kept in {path}"
        )
    else:
        print("this host is too busy to send even the lowest rate cleanly; try again when it is idle")
    return 0


def _records_of(text: str) -> "Path":
    """A file, or the records in the folder of a test."""
    from pathlib import Path

    from perfproof.app.load import RECORDS

    return Path(text) / RECORDS if Path(text).is_dir() else Path(text)


@app.command("import")
def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Of vLLM's, SGLang's, guidellm's or aiperf's generator, or of ours; or our folder."
        ),
    ],
    number: Annotated[
        int | None, typer.Option("--number", metavar="N", min=1, help="Which benchmark of a file with several.")
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Keep it as a run folder in artifacts/.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the window as JSON, and nothing else.")] = False,
) -> int:
    """Show a result of another load generator, or of a test that was killed, by our definitions."""
    from perfproof.app.load_import import result_of, save_import
    from perfproof.cli.width import text_width
    from perfproof.load.foreign import read_foreign
    from perfproof.report.load_text import window_lines, within

    path, folder = _records_of(file), None
    if save:
        result, folder = save_import(path, number)
    else:
        result = result_of(path, read_foreign(path, number))
    if json:
        print(result.whole.model_dump_json(indent=1))
        return 0
    print(f"{result.tool}, model {result.model}: no check was made here, so there is no headline")
    print("\n".join(window_lines("whole run", result.whole, text_width())))
    said = [f"  {name}: {text}" for name, text in result.definitions.items()]
    for text in [*said, *(f"  note: {note}" for note in result.notes)]:
        print("\n".join(within(text, text_width())))
    if folder is not None:
        print(f"kept in {folder}")
    return 0


@app.command("compare")
def compare_(
    results: Annotated[
        list[str], typer.Argument(metavar="RESULT...", help="Folders of load tests, or files of other generators.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the documents, by what was named.")] = False,
) -> int:
    """Show load tests beside each other, also of different tools, and where their definitions differ."""
    from perfproof.cli.commands.compare import compare_loads
    from perfproof.core.errors import UsageError

    if len(results) < 2:
        raise UsageError("name two results or more: perfproof load compare FOLDER result.json")
    return compare_loads(results, "json" if json else "table", None)


@app.command()
def whatif(
    run: Annotated[str, typer.Argument(metavar="FOLDER", help="Of a load test, or its requests.jsonl.")],
    speed: Annotated[float, typer.Option("--speed", metavar="X", min=1e-3, help="Times the recorded rate.")] = 1.0,
    slots: Annotated[
        int | None, typer.Option("--slots", metavar="N", min=1, help="Answers in a batch. [default: as measured]")
    ] = None,
    chunk: Annotated[
        int | None, typer.Option("--chunk", metavar="N", min=1, help="Tokens of a step. [default: as measured]")
    ] = None,
    replicas: Annotated[int, typer.Option("--replicas", metavar="N", min=1, help="Servers that take turns.")] = 1,
    measured_slots: Annotated[
        int, typer.Option("--measured-slots", metavar="N", min=1, help="Batch limit of the measured server.")
    ] = 256,
    measured_chunk: Annotated[
        int, typer.Option("--measured-chunk", metavar="N", min=1, help="Chunk of the measured server.")
    ] = 8192,
) -> int:
    """Simulate recorded requests with other settings, by a model that is fitted to the test."""
    from perfproof.load.record_file import read_records
    from perfproof.load.step_fit import fit_steps
    from perfproof.load.what_if import Engine, simulate
    from perfproof.report.load_text import what_if_lines

    _, records, _ = read_records(_records_of(run))
    fit = fit_steps(records, measured_chunk)
    good = [one for one in records if one.outcome == "ok"]
    again = simulate(good, fit.model, Engine(measured_slots, measured_chunk))
    other = simulate(good, fit.model, Engine(slots or measured_slots, chunk or measured_chunk, replicas), speed)
    print("\n".join(what_if_lines(fit, good, again, other)))
    return 0
