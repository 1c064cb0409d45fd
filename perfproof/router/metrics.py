"""Counters of the router in the text form of Prometheus."""

from perfproof.router.router import Router

COUNTS = {
    "placed": "Requests that were sent to a worker, with repeats.",
    "rejected": "Requests that were refused because their first token would have come too late.",
    "retried": "Requests that were sent to another worker because one failed.",
    "failed": "Requests that a worker did not answer to the end.",
    "client_gone": "Requests whose client closed the connection before the end.",
}


def metrics_text(router: Router) -> str:
    lines = []
    for name, help in COUNTS.items():
        lines += [f"# HELP perfproof_router_{name}_total {help}", f"# TYPE perfproof_router_{name}_total counter"]
        lines.append(f"perfproof_router_{name}_total {router.counts[name]}")
    for name, help, value in (
        ("up", "1 if the worker answers.", lambda worker: int(worker.is_up)),
        ("in_flight", "Requests at the worker.", lambda worker: len(worker.jobs)),
        ("waiting_blocks", "Prompt blocks that the worker has to compute.", lambda worker: worker.waiting_blocks),
        ("known_blocks", "Blocks that the worker's cache probably holds.", lambda worker: len(worker.known.names)),
    ):
        lines += [f"# HELP perfproof_router_worker_{name} {help}", f"# TYPE perfproof_router_worker_{name} gauge"]
        lines += [f'perfproof_router_worker_{name}{{worker="{one.name}"}} {value(one)}' for one in router.workers]
    lines += ["# HELP perfproof_router_worker_placed_total Requests that the worker got."]
    lines += ["# TYPE perfproof_router_worker_placed_total counter"]
    lines += [f'perfproof_router_worker_placed_total{{worker="{one.name}"}} {one.placed}' for one in router.workers]
    return "\n".join(lines) + "\n"
