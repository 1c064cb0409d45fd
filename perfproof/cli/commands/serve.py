"""Serve a language model with an OpenAI-style API.

\b
perfproof serve --demo                               a small model for a laptop; the first start trains it
perfproof serve --model ./Llama-3.2-1B               a folder with config.json and *.safetensors
perfproof serve --model llama-3.1-8b --random        a shipped shape with random weights
perfproof serve --model ./8B --quantise 4 --speculate ngram
perfproof serve --demo --workers 2                   two engines behind a router; see perfproof route --help
perfproof serve --demo --prefill-process             compute prompts and answers in two processes
perfproof serve --model ./70B --ranks 4              one model on four GPUs
perfproof serve --demo --host 0.0.0.0                for other machines; makes and prints an API key if none is given

The server listens on 127.0.0.1 unless --host says otherwise. Ctrl-C stops it; running answers are finished first.
"""

from typing import Annotated

import typer

from perfproof.cli.values import option, parse_short_time

PLACE = "Serve 1"  # in perfproof --help

PORT = 8322


def command(
    model: Annotated[
        str | None, option("--model MODEL", "Model to serve: a model folder, a config.json or a shipped shape.")
    ] = None,
    demo: Annotated[bool, option("--demo", "Serve a small model; the first start trains it.")] = False,
    random: Annotated[bool, option("--random", "Use random weights in the shape of the model.")] = False,
    name: Annotated[str, option("--name NAME", "Model name that clients use.")] = "",
    host: Annotated[str, option("--host ADDRESS", "Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port N", "Port to listen on; 0 takes any free one.", min=0, max=65535)] = PORT,
    api_key: Annotated[
        str | None, option("--api-key KEY", "API key that every request must bring.", envvar="PERFPROOF_API_KEY")
    ] = None,
    device: Annotated[str | None, option("--device NAME", "Device to run on: cpu, cuda or cuda:1.")] = None,
    dtype: Annotated[
        str, option("--dtype NAME", "Data type: bfloat16, float16 or float32. [default: depends on the device]")
    ] = "",
    quantise: Annotated[
        int, option("--quantise BITS", "Quantise the weights to 8 or 4 bits, with one scale per group; 0: do not.")
    ] = 0,
    group: Annotated[int, option("--group N", "Number of weights that share a scale (with --quantise).", min=2)] = 128,
    int8_cache: Annotated[bool, option("--int8-cache", "Store the KV cache in 8-bit integers.")] = False,
    blocks: Annotated[int, option("--blocks N", "Number of KV cache blocks. [default: as many as fit]", min=0)] = 0,
    memory: Annotated[float, option("--memory SHARE", "Share of the GPU's memory to use.", min=0.05, max=1.0)] = 0.9,
    block_size: Annotated[int, option("--block-size N", "Tokens per KV cache block.", min=1)] = 16,
    token_budget: Annotated[int, option("--token-budget N", "Maximum number of tokens per step.", min=1)] = 2048,
    max_running: Annotated[int, option("--max-running N", "Maximum number of requests in a batch.", min=1)] = 64,
    max_length: Annotated[
        int | None, option("--max-length N", "Maximum number of tokens per request, prompt and answer together.", min=2)
    ] = None,
    prefix_cache: Annotated[
        bool, typer.Option(help="Reuse the KV cache blocks of prompts with the same beginning.")
    ] = True,
    chunked_prefill: Annotated[bool, typer.Option(help="Split long prompts into chunks.")] = True,
    overlap: Annotated[bool, typer.Option(help="Plan the next step while the current one runs.")] = True,
    graphs: Annotated[bool, typer.Option(help="Run the steps as CUDA graphs.")] = True,
    speculate: Annotated[
        str,
        option(
            "--speculate ngram|MODEL",
            "Speculative decoding: guess tokens by n-grams of the text, or with a draft MODEL.",
        ),
    ] = "",
    drafts: Annotated[
        int, option("--drafts N", "Number of guessed tokens per step (with --speculate).", min=1, max=7)
    ] = 4,
    queue: Annotated[
        int, option("--queue N", "Maximum number of waiting requests; further ones get HTTP 429.", min=0)
    ] = 128,
    max_body: Annotated[
        int, option("--max-body BYTES", "Maximum size of a request body, in bytes.", min=1)
    ] = 4_000_000,
    drain: Annotated[
        float, option("--drain SECONDS", "Time that running answers get to finish when the server is stopped.", min=0)
    ] = 30.0,
    write_timeout: Annotated[
        float, option("--write-timeout SECONDS", "Drop a client that reads nothing for this long.", min=0.1)
    ] = 30.0,
    step_log: Annotated[str | None, option("--step-log FILE", "Append one line of JSON per step to FILE.")] = None,
    seed: Annotated[int | None, option("--seed N", "Seed for requests that bring no seed of their own.")] = None,
    prefill_process: Annotated[
        bool, option("--prefill-process", "Compute prompts (prefill) in a separate process.")
    ] = False,
    ranks: Annotated[int, option("--ranks N", "Split the model over N processes, each with its GPU.", min=1)] = 1,
    workers: Annotated[int, option("--workers N", "Number of engine processes; two or more get a router.", min=1)] = 1,
    policy: Annotated[
        str, option("--policy NAME", "Router: routing policy, round-robin, least-loaded or kv-aware.")
    ] = "kv-aware",
    ttft_limit: Annotated[
        str | None,
        option(
            "--ttft-limit TIME", "Router: refuse requests whose first token would come later than this, e.g. 500ms."
        ),
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
