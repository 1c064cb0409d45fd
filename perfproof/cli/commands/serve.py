"""Serve a language model with an OpenAI-style API.

\b
perfproof serve --demo                               a small model, trained by the first start: runs on a laptop
perfproof serve --model ./Llama-3.2-1B               a folder with config.json and *.safetensors
perfproof serve --model llama-3.1-8b --random        a shipped shape with random weights
perfproof serve --model ./8B --quantise 4 --speculate ngram
perfproof serve --demo --workers 2                   two engines behind a router; see perfproof route --help
perfproof serve --demo --prefill-process             prompts and answers are computed in two processes
perfproof serve --model ./70B --ranks 4              one model on four GPUs
perfproof serve --demo --host 0.0.0.0                for others: needs an API key, made and printed if none is given

It listens on 127.0.0.1 unless --host says otherwise. Ctrl-C stops it; answers under way are finished first.
"""

from typing import Annotated

import typer

from perfproof.cli.values import option, parse_short_time

PLACE = "Serve 1"  # in perfproof --help

PORT = 8322


def command(
    model: Annotated[str | None, option("--model MODEL", "A model folder, a config.json or a shipped shape.")] = None,
    demo: Annotated[bool, option("--demo", "Serve a small model; the first start trains it.")] = False,
    random: Annotated[bool, option("--random", "Random weights in the shape of the model.")] = False,
    name: Annotated[str, option("--name NAME", "The model's name for clients.")] = "",
    host: Annotated[str, option("--host ADDRESS", "Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port N", "0: any free one.", min=0, max=65535)] = PORT,
    api_key: Annotated[
        str | None, option("--api-key KEY", "Needed by every request.", envvar="PERFPROOF_API_KEY")
    ] = None,
    device: Annotated[str | None, option("--device NAME", "cpu, cuda or cuda:1.")] = None,
    dtype: Annotated[str, option("--dtype NAME", "bfloat16, float16, float32. [default: by the device]")] = "",
    quantise: Annotated[int, option("--quantise BITS", "Weights in 8 or 4 bits with group scales.")] = 0,
    group: Annotated[int, option("--group N", "Weights per scale.", min=2)] = 128,
    int8_cache: Annotated[bool, option("--int8-cache", "Keys and values in 8 bits.")] = False,
    blocks: Annotated[int, option("--blocks N", "Blocks of the cache. [default: what fits]", min=0)] = 0,
    memory: Annotated[float, option("--memory SHARE", "Share of the GPU's memory to use.", min=0.05, max=1.0)] = 0.9,
    block_size: Annotated[int, option("--block-size N", "Tokens per block.", min=1)] = 16,
    token_budget: Annotated[int, option("--token-budget N", "Most tokens of one step.", min=1)] = 2048,
    max_running: Annotated[int, option("--max-running N", "Most requests in one batch.", min=1)] = 64,
    max_length: Annotated[
        int | None, option("--max-length N", "Most tokens of prompt and answer together.", min=2)
    ] = None,
    prefix_cache: Annotated[bool, typer.Option(help="Reuse blocks of equal beginnings.")] = True,
    chunked_prefill: Annotated[bool, typer.Option(help="Cut long prompts into chunks.")] = True,
    overlap: Annotated[bool, typer.Option(help="Plan a step while the one before it runs.")] = True,
    graphs: Annotated[bool, typer.Option(help="Steps as CUDA graphs.")] = True,
    speculate: Annotated[str, option("--speculate ngram|MODEL", "Guess tokens from the text or a draft model.")] = "",
    drafts: Annotated[int, option("--drafts N", "Guesses per step.", min=1, max=7)] = 4,
    queue: Annotated[int, option("--queue N", "Requests that may wait; more get 429.", min=0)] = 128,
    max_body: Annotated[int, option("--max-body BYTES", "Most bytes of a request's body.", min=1)] = 4_000_000,
    drain: Annotated[float, option("--drain SECONDS", "For answers under way when it is stopped.", min=0)] = 30.0,
    write_timeout: Annotated[
        float, option("--write-timeout SECONDS", "Drop a client that reads nothing.", min=0.1)
    ] = 30.0,
    step_log: Annotated[str | None, option("--step-log FILE", "Append one line of JSON per step.")] = None,
    seed: Annotated[int | None, option("--seed N", "For requests that bring no seed of their own.")] = None,
    prefill_process: Annotated[bool, option("--prefill-process", "Compute prompts in a process of their own.")] = False,
    ranks: Annotated[int, option("--ranks N", "Split the model over N processes, each with its GPU.", min=1)] = 1,
    workers: Annotated[int, option("--workers N", "Engine processes; more than one have a router.", min=1)] = 1,
    policy: Annotated[str, option("--policy NAME", "Router: round-robin, least-loaded or kv-aware.")] = "kv-aware",
    ttft_limit: Annotated[
        str | None, option("--ttft-limit TIME", "Router: refuse requests that would miss it, e.g. 500ms.")
    ] = None,
) -> int:
    from perfproof.cli.routing import route_to_workers
    from perfproof.cli.serving import become, listen, needed_secret
    from perfproof.core.errors import UsageError
    from perfproof.engine.architecture import find_architecture
    from perfproof.engine.server.settings import VARIABLE, ServeSettings, to_text
    from perfproof.router.front import RouteSettings, check_policy
    from perfproof.router.worker import DEFAULT_BLOCKS

    if demo == (model is not None):
        raise UsageError("give --model MODEL or --demo, one of the two; see perfproof serve --help")
    if workers == 1 and ttft_limit is not None:
        raise UsageError("--ttft-limit is kept by the router, which needs --workers 2 or more")
    if ranks > 1 and prefill_process:
        raise UsageError("--ranks and --prefill-process: a prefill process has the whole model; choose one of the two")
    check_policy(policy)
    if model is not None:
        find_architecture(model)  # refused here, before torch is loaded
    limit = parse_short_time(ttft_limit, "--ttft-limit")
    key = needed_secret(api_key, host, "--api-key", spaces=False)
    listening = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}/v1", flush=True)
    if key is not None and api_key is None:
        print(f"API key: {key}", flush=True)
    settings = ServeSettings(
        model=model,
        name=name,
        random=random,
        host=host,
        key=key,
        descriptor=listening.fileno(),
        device=device or "",
        dtype=dtype,
        quantise=quantise,
        group=group,
        int8_cache=int8_cache,
        blocks=blocks,
        memory=memory / workers,  # the workers share a GPU
        block_size=block_size,
        token_budget=token_budget,
        most_running=max_running,
        longest=max_length,
        prefix_cache=prefix_cache,
        chunked=chunked_prefill,
        overlap=overlap,
        graphs=graphs,
        speculate=speculate,
        drafts=drafts,
        seed=seed,
        prefill_process=prefill_process,
        ranks=ranks,
        queue=queue,
        most_body=max_body,
        write_seconds=write_timeout,
        drain_seconds=drain,
        step_log=step_log,
    )
    if workers == ranks == 1 and not prefill_process:
        become("perfproof.engine", {VARIABLE: to_text(settings)}, listening, "PERFPROOF_API_KEY")
        return 0
    return route_to_workers(
        settings,
        workers,
        listening,
        RouteSettings(policy, limit, blocks or DEFAULT_BLOCKS, drain=drain, key=key, most_body=max_body),
    )
