"""Test an LLM server under load.

Latency is counted from the intended arrival time of each request.

\b
perfproof load localhost:8000 --rate 5 --duration 60         Poisson arrivals, open loop
perfproof load localhost:8000 --users 32 --think 2           closed loop
perfproof load localhost:8000 --trace mooncake.jsonl         replay recorded traffic
perfproof load localhost:8000 --slo 'ttft_p99<500ms'         the highest rate within these limits
perfproof load localhost:8000 --against localhost:8001       two servers, in interleaved blocks
perfproof load 'serve --demo' --rate 5                       a server that the test starts and stops
perfproof load 'serve --demo' --against 'serve --demo --token-budget 64'
perfproof load builtin --rate 20 --duration 5                a built-in server of known behaviour, to try it out
perfproof load selftest                                      how many requests per second this host can send
perfproof load import result.json                            show a result of vllm bench serve
perfproof load whatif FOLDER --speed 2 --replicas 2          simulate the server with other settings
perfproof load whatif FOLDER --slots 64 --confirm URL        the same, then test that server
"""

from typing import Annotated

import typer

from perfproof.cli import values
from perfproof.cli.group import HELP_OPTIONS, with_default
from perfproof.cli.output import Output, choose_format, written_to
from perfproof.cli.values import argument, option

PLACE = "Measure 7"  # in perfproof --help
FORMATS = ("table", "json", "html")
OF_TESTS = (*FORMATS, "junit")
OWN_FIELDS = {
    "model": "name it with --model",
    "messages": "prompts come from the workload",
    "prompt": "prompts come from the workload",
    "max_tokens": "use --output-tokens or a workload",
    "max_completion_tokens": "use --output-tokens or a workload",
    "stream": "without a stream there is no time of a token",
    "stream_options": "the usage in streams is asked for already",
    "n": "the tokens of several answers could not be told apart",
    "best_of": "the tokens of several answers could not be told apart",
}
CHANGED = ("speed", "slots", "chunk", "replicas", "policy", "prefill", "handover", "ttft_limit", "blocks")
OF_SEVERAL = ("policy", "blocks")
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
    url: Annotated[
        str, argument("SERVER", "Server to test: host:8000, a URL, 'serve --demo', or builtin?base=5ms&slots=4.")
    ],
    rate: Annotated[str, option("--rate N", "Requests per second; with --arrivals steps a list: 2,4,8.")] = "1",
    arrivals: Annotated[
        str,
        option(
            "--arrivals KIND", "Arrival process: poisson, constant, gamma:cv=2, bursts:on=1,off=4, ramp:to=20 or steps."
        ),
    ] = "poisson",
    users: Annotated[int | None, option("--users N", "Closed loop with this many users, instead of --rate.")] = None,
    think: Annotated[str, option("--think TIME", "Pause of each user between two requests (with --users).")] = "0",
    trace: Annotated[
        str | None, option("--trace FILE", "Replay recorded traffic: Mooncake JSONL, Azure CSV or a plain CSV.")
    ] = None,
    speed: Annotated[float, option("--speed X", "Replay the trace at this multiple of its recorded rate.")] = 1.0,
    duration: Annotated[
        str, option("--duration TIME", "Length of the whole test; with --slo, of each step of the search.")
    ] = "30",
    workload: Annotated[
        str, option("--workload NAME", "Workload: chat, rag, agent, code, summarise, batch or a YAML file.")
    ] = "chat",
    prompt_tokens: Annotated[
        int | None, option("--prompt-tokens N", "Give every prompt N tokens, instead of using --workload.", min=1)
    ] = None,
    output_tokens: Annotated[
        int | None, option("--output-tokens N", "Ask for N tokens in every answer, instead of using --workload.", min=1)
    ] = None,
    slo: Annotated[
        str | None,
        option(
            "--slo LIMITS", "Find the highest request rate that meets these limits: 'ttft_p99<500ms tpot_p99<40ms'."
        ),
    ] = None,
    against: Annotated[str | None, option("--against SERVER", "Second server, compared with the first.")] = None,
    price: Annotated[float | None, option("--price USD", "Cost of the server in dollars per hour.")] = None,
    cap: Annotated[int | None, option("--cap N", "Maximum number of requests in flight.", min=1)] = None,
    shed: Annotated[
        bool, option("--shed/--queue", "Above --cap: drop the request, or let it wait (the wait counts).")
    ] = False,
    timeout: Annotated[str, option("--timeout TIME", "Time limit per request.")] = "300",
    drain: Annotated[
        str, option("--drain TIME", "Time to wait for outstanding answers at the end of the test.")
    ] = "30",
    model: Annotated[str | None, option("--model NAME", "Model to request. [default: the server's first]")] = None,
    api_key_env: Annotated[
        str | None, option("--api-key-env NAME", "Environment variable that holds the API key.")
    ] = None,
    body: Annotated[
        str | None, option("--body JSON", 'Further fields of every request, as JSON: {"temperature": 0}.')
    ] = None,
    seed: Annotated[int, option("--seed N", "Seed for the arrival times and the lengths.", min=0)] = 1,
    salt: Annotated[
        str | None, option("--salt TEXT", "Text that every prompt begins with. [default: a new one]")
    ] = None,
    strict: Annotated[bool, option("--strict", "Exit with 1 if a check of the test failed.")] = False,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    format: Annotated[str | None, option("--format NAME", "Output format: table, json, html or junit.")] = None,
    output: Output = None,
    json: Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")] = False,
    quiet: Annotated[bool, option("-q --quiet", "Print the headline, and nothing else.")] = False,
) -> int:
    """Test a server: an open loop, a closed loop, a trace, a search or a comparison."""
    from perfproof.app.load.asked import Asked
    from perfproof.app.load.run import run_load
    from perfproof.cli.show.load import show_load, to_stderr
    from perfproof.core.errors import UsageError
    from perfproof.load.arrivals import parse_arrivals
    from perfproof.load.driver import Limits
    from perfproof.load.slo import parse_slo

    chosen = choose_format(format, json, output, OF_TESTS)
    written = {name for name in ctx.params if _is_written(ctx, name)}
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
        slo=() if slo is None else tuple(parse_slo(slo)),
        against=against,
        artifacts_dir=artifacts_dir,
    )
    say = (lambda text: None) if quiet or chosen == "json" else to_stderr
    if against is not None:
        from perfproof.app.load.against import run_against

        done = run_against(asked, say)
    else:
        done = run_load(asked, say)
    code = show_load(done, chosen, output, quiet)
    failed = any(one.result == "fail" for one in done.result.checks)
    return code or int(strict and failed)


def _is_written(ctx: typer.Context, name: str) -> bool:
    return getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"


def _parse_body(text: str | None) -> dict[str, object]:
    from json import loads

    from perfproof.core.errors import UsageError

    def no_number(name: str) -> None:
        raise ValueError(f"{name} is no number of JSON")

    try:
        said = loads(text, parse_constant=no_number) if text else {}
    except ValueError as error:
        raise UsageError(f"--body is no JSON: {error}") from None
    if not isinstance(said, dict):
        raise UsageError('--body must be an object, such as {"temperature": 0}')
    for name in said.keys() & OWN_FIELDS.keys():
        raise UsageError(f"--body cannot set {name}: {OWN_FIELDS[name]}")
    return said


@app.command()
def selftest(
    seconds: Annotated[float, option("--seconds N", "Seconds to test each rate.", min=0.2)] = 3.0,
    json: Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")] = False,
) -> int:
    """Find how many requests per second this host sends and reads cleanly."""
    from dataclasses import asdict
    from json import dumps

    from perfproof.cli.show.load import to_stderr
    from perfproof.load.selftest import find_limit, save

    found = find_limit(seconds, lambda trial: None if json else to_stderr(trial.text))
    path = save(found)
    if json:
        print(dumps(asdict(found), indent=1))
    elif found.requests_per_second:
        print(
            f"this host sends {found.requests_per_second:.0f} req/s and reads {found.events_per_second:.0f} events per "
            f"second cleanly; kept in {path}"
        )
        print(found.spent)
    else:
        print("this host is too busy to send even the lowest rate cleanly; try again when it is idle")
    return 0


@app.command("import")
def import_(
    file: Annotated[
        str,
        argument(
            "FILE", "Result file of vLLM's, SGLang's, guidellm's or aiperf's load generator, or a perfproof load test."
        ),
    ],
    number: Annotated[
        int | None, option("--number N", "Number of the benchmark to read, if the file holds several.", min=1)
    ] = None,
    save: Annotated[
        bool, option("--save", "Save the result as a run folder, so that `perfproof history` lists it.")
    ] = False,
    machine: Annotated[
        str, option("--machine NAME", "Name of the measured server; with --save its results form a trend.")
    ] = "",
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the figures as JSON, and nothing else.")] = False,
) -> int:
    """Show a result of another load generator, or of a test that was killed, by perfproof's definitions."""
    from perfproof.app.load.imports import records_of, result_of, save_import
    from perfproof.cli.width import text_width
    from perfproof.load.foreign import read_foreign
    from perfproof.report.load.text import window_lines, within

    path, folder = records_of(file, artifacts_dir), None
    if save:
        result, folder = save_import(path, number, artifacts_dir, machine)
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
        list[str],
        argument(
            "RESULT...", "Two results or more: latest, ids or folders of load tests, result files of other tools."
        ),
    ],
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print one JSON object: each RESULT's name and its document.")] = False,
) -> int:
    """Show load tests side by side, also of different tools, and where their definitions differ."""
    from perfproof.cli.commands.compare import compare_loads
    from perfproof.core.errors import UsageError

    if len(results) < 2:
        raise UsageError("name two results or more: perfproof load compare FOLDER result.json")
    return compare_loads(results, "json" if json else "table", None, artifacts_dir)


@app.command()
def whatif(
    ctx: typer.Context,
    run: Annotated[str, argument("TEST", "Recorded load test: latest, an id, a folder, or its requests.jsonl.")],
    speed: Annotated[float, option("--speed X", "Multiple of the recorded request rate.", min=1e-3)] = 1.0,
    slots: Annotated[
        int | None, option("--slots N", "Maximum number of answers in a batch. [default: as measured]", min=1)
    ] = None,
    chunk: Annotated[
        int | None, option("--chunk N", "Maximum number of prompt tokens per step. [default: as measured]", min=1)
    ] = None,
    replicas: Annotated[int, option("--replicas N", "Number of servers that generate answers.", min=1)] = 1,
    policy: Annotated[
        str, option("--policy NAME", "Routing policy: round-robin, least-loaded or kv-aware.")
    ] = "round-robin",
    prefill: Annotated[
        int, option("--prefill N", "Number of additional servers that only compute prompts (prefill).", min=0)
    ] = 0,
    handover: Annotated[
        str | None,
        option("--handover TIME", "Time to move a prompt's KV cache, per 1,000 tokens: 2ms (with --prefill)."),
    ] = None,
    ttft_limit: Annotated[
        str | None,
        option("--ttft-limit TIME", "Let the router refuse requests whose first token would come later: 500ms."),
    ] = None,
    blocks: Annotated[
        int, option("--blocks N", "Size of each server's prefix cache, in blocks of 16 tokens.", min=1)
    ] = 4096,
    measured_slots: Annotated[
        int, option("--measured-slots N", "Maximum batch size of the measured server (vLLM: --max-num-seqs).", min=1)
    ] = 256,
    measured_chunk: Annotated[
        int,
        option(
            "--measured-chunk N",
            "Maximum tokens per step of the measured server (vLLM: --max-num-batched-tokens).",
            min=1,
        ),
    ] = 8192,
    confirm: Annotated[
        str | None,
        option("--confirm URL", "After the simulation, test this server with these settings, to check the model."),
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    format: Annotated[str | None, option("--format NAME", "Output format: table, json or html.")] = None,
    output: Output = None,
    json: Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")] = False,
) -> int:
    """Simulate recorded requests with other settings, with a model that is fitted to the test; optionally confirm."""
    from perfproof.app.what_if import DOCUMENT, PAGE, Settings, run_what_if
    from perfproof.cli.show.load import to_stderr
    from perfproof.core.atomic import write_atomic
    from perfproof.core.errors import UsageError
    from perfproof.report.load.what_if_page import render as page
    from perfproof.report.load.what_if_text import render as text
    from perfproof.router.front import check_policy
    from perfproof.router.what_if import Fleet

    chosen = choose_format(format, json, output, FORMATS)
    check_policy(policy)
    if prefill and handover is None:
        raise UsageError("--prefill needs --handover TIME: what it takes to move the cache of 1,000 tokens")
    moves, limit = values.parse_short_time(handover, "--handover"), values.parse_short_time(ttft_limit, "--ttft-limit")
    fleet = Fleet(replicas, policy, prefill, moves or 0.0, limit, blocks)
    written = [name for name in CHANGED if _is_written(ctx, name)]
    for name in written:
        if name in OF_SEVERAL and replicas == 1 and not prefill:
            raise UsageError(f"--{name} means something only with --replicas or --prefill")
    if handover is not None and not prefill:
        raise UsageError("--handover means something only with --prefill")
    asked = {name.replace("_", "-"): str(ctx.params[name]) for name in written}
    settings = Settings(speed, slots, chunk, fleet, measured_slots, measured_chunk, confirm, asked, artifacts_dir)
    answer = run_what_if(run, settings, (lambda text: None) if chosen == "json" else to_stderr)
    shown = {
        "json": lambda: answer.document.model_dump_json(indent=1) + "\n",
        "html": lambda: page(answer.document, answer.sides),
        "table": lambda: text(answer.document),
    }
    with written_to(output):
        print(shown[chosen](), end="")
    if answer.test is None:
        return 0
    write_atomic(answer.test.folder / DOCUMENT, shown["json"]())
    write_atomic(answer.test.folder / PAGE, shown["html"]())
    if chosen == "table":
        print(f"\nsaved in {answer.test.folder}\nnext: open {answer.test.folder / PAGE} in a browser")
    return answer.test.exit_code
