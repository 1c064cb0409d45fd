"""Telemetry as Prometheus reads it: the text format 0.0.4, served by a thread until the context ends.

`gpu0.power_watts` is perfproof_gpu_power_watts{gpu="0"}; counters end in _total.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from perfproof.core.errors import UsageError
from perfproof.core.telemetry import TelemetryColumn

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SOURCE = re.compile(r"(gpu)(\d+)")
CORE = re.compile(r"core(\d+)_(\w+)")
Latest = dict[str, tuple[TelemetryColumn, float]]  # "gpu0.power_watts" -> its column and last value


def exposition(latest: Latest) -> str:
    """The page: every metric once with its HELP and TYPE, a line for each GPU or core."""
    metrics: dict[str, list[str]] = {}
    for name, (column, value) in latest.items():
        metric, labels = metric_of(name, column)
        kind = "counter" if column.kind == "counter" else "gauge"
        lines = metrics.setdefault(metric, [f"# HELP {metric} {_help(column)}", f"# TYPE {metric} {kind}"])
        lines.append(f"{metric}{labels} {value!r}")
    return "".join(f"{line}\n" for lines in metrics.values() for line in lines)


def metric_of(name: str, column: TelemetryColumn) -> tuple[str, str]:
    source, _, reading = name.partition(".")
    labels = ""
    if match := SOURCE.fullmatch(source):
        source, labels = match[1], f'{{gpu="{match[2]}"}}'
    if match := CORE.fullmatch(reading):
        reading, labels = f"core_{match[2]}", f'{{core="{match[1]}"}}'
    return f"perfproof_{source}_{reading}{'_total' if column.kind == 'counter' else ''}", labels


@contextmanager
def serving(host: str, port: int, latest: Callable[[], Latest]) -> Iterator[int]:
    """Serve /metrics; gives the port, which the system chooses where 0 is asked for."""
    try:
        server = ThreadingHTTPServer((host, port), _handler(latest))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot serve on {host} port {port}: {why}; choose another --prometheus port") from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(latest: Callable[[], Latest]) -> type[BaseHTTPRequestHandler]:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path.partition("?")[0] in ("/", "/metrics")
            body = (exposition(latest()) if found else "the metrics are at /metrics\n").encode()
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """A scrape is no news."""

    return Page


def _help(column: TelemetryColumn) -> str:
    text = f"{column.about} ({column.unit})" if column.unit else column.about
    return text.replace("\\", r"\\").replace("\n", r"\n")
