"""Route requests over several OpenAI-style servers.

\b
perfproof route 127.0.0.1:8001 127.0.0.1:8002                      by the contents of their caches (kv-aware)
perfproof route http://a:8000 http://b:8000 --policy least-loaded
perfproof route http://a:8000 http://b:8000 --ttft-limit 500ms     refuse late requests with HTTP 429
perfproof serve --demo --workers 2                                 starts the workers too

A server that dies or hangs is removed; its requests without an answer so far go to another server. /health says how
many servers answer, /metrics how many requests each of them got.
"""

from typing import Annotated

from perfproof.cli.values import argument, option, parse_short_time

PLACE = "Serve 2"  # in perfproof --help

PORT = 8323


def command(
    servers: Annotated[list[str], argument("URL...", "Addresses of the servers, e.g. http://127.0.0.1:8001.")],
    policy: Annotated[
        str, option("--policy NAME", "Routing policy: round-robin, least-loaded or kv-aware.")
    ] = "kv-aware",
    ttft_limit: Annotated[
        str | None,
        option("--ttft-limit TIME", "Refuse requests whose first token would come later than this, e.g. 500ms."),
    ] = None,
    blocks: Annotated[
        int, option("--blocks N", "Size of each server's prefix cache, in blocks of 16 tokens.", min=1)
    ] = 4096,
    host: Annotated[str, option("--host ADDRESS", "Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port N", "Port to listen on; 0 takes any free one.", min=0, max=65535)] = PORT,
    api_key: Annotated[
        str | None, option("--api-key KEY", "API key that every request must bring.", envvar="PERFPROOF_API_KEY")
    ] = None,
    probe: Annotated[
        float, option("--probe SECONDS", "Seconds between two health checks of a server.", min=0.05)
    ] = 1.0,
    silence: Annotated[
        float, option("--silence SECONDS", "Treat a server as hung if it sends no byte for this long.", min=0.1)
    ] = 60.0,
) -> int:
    from perfproof.cli.routing import route_to_servers
    from perfproof.cli.serving import listen, needed_secret
    from perfproof.load.http_client import parse_address
    from perfproof.router.front import RouteSettings, make_proxy

    key = needed_secret(api_key, host, "--api-key", spaces=False)
    settings = RouteSettings(policy, parse_short_time(ttft_limit, "--ttft-limit"), blocks, probe, silence, key=key)
    make_proxy([parse_address(text) for text in servers], settings)  # a wrong word is said before anything is printed
    listening = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}/v1", flush=True)
    if key is not None and api_key is None:
        print(f"API key: {key}", flush=True)
    return route_to_servers(servers, listening, settings)
