"""The page for Prometheus, fetched over loopback and parsed by the rules of its text format."""

import http.client
import re
import socket

import pytest

from perfproof.app.prometheus import CONTENT_TYPE, exposition, serving
from perfproof.core.errors import UsageError
from perfproof.core.telemetry import TelemetryColumn

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([a-z]+)="([^"\\\n]*)"\})? (\S+)')


def column(name, kind="gauge", unit="", about="a reading"):
    return TelemetryColumn(name=name, kind=kind, unit=unit, about=about)


LATEST = {
    "gpu0.power_watts": (column("power_watts", unit="W", about="power of the board"), 512.5),
    "gpu1.power_watts": (column("power_watts", unit="W", about="power of the board"), 98.0),
    "gpu0.energy_joules": (column("energy_joules", "counter", "J"), 123456.789),
    "gpu0.event_reasons": (column("event_reasons", "mask"), 4.0),
    "host.core1_seconds": (column("core1_seconds", "counter", "s"), 7.5),
    "host.load_1m": (column("load_1m", about="back\\slash\nand line"), 0.5),
}


def parsed(page):
    """Metrics by name and label; every sample must come after its HELP and TYPE, once each."""
    helps, types, samples = {}, {}, {}
    assert page.endswith("\n")
    for line in page.splitlines():
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            table = {"HELP": helps, "TYPE": types}[word]
            assert name not in table, f"{word} of {name} twice"
            table[name] = rest
        else:
            name, label, value_of_label, value = SAMPLE.fullmatch(line).groups()
            assert name in helps and name in types
            samples[name, label, value_of_label] = float(value)
    return types, samples


def test_every_metric_has_its_type_and_its_labels():
    types, samples = parsed(exposition(LATEST))
    assert samples["perfproof_gpu_power_watts", "gpu", "0"] == 512.5
    assert samples["perfproof_gpu_power_watts", "gpu", "1"] == 98.0
    assert samples["perfproof_gpu_energy_joules_total", "gpu", "0"] == 123456.789
    assert samples["perfproof_host_core_seconds_total", "core", "1"] == 7.5
    assert samples["perfproof_host_load_1m", None, None] == 0.5
    assert types["perfproof_gpu_energy_joules_total"] == "counter"
    assert types["perfproof_gpu_power_watts"] == types["perfproof_gpu_event_reasons"] == "gauge"


def fetch(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_the_page_is_served_with_the_values_of_the_moment():
    latest = dict(LATEST)
    with serving("127.0.0.1", 0, lambda: latest) as port:
        answer, body = fetch(port, "/metrics")
        assert (answer.status, answer.getheader("Content-Type")) == (200, CONTENT_TYPE)
        assert parsed(body)[1]["perfproof_gpu_power_watts", "gpu", "0"] == 512.5
        latest["gpu0.power_watts"] = (latest["gpu0.power_watts"][0], 1.0)
        assert parsed(fetch(port, "/metrics?x=1")[1])[1]["perfproof_gpu_power_watts", "gpu", "0"] == 1.0
        assert fetch(port, "/etc/passwd")[0].status == 404
    with pytest.raises(OSError):
        fetch(port, "/metrics")


@pytest.mark.parametrize("port", ["taken", 70_000])
def test_a_port_that_cannot_be_had_is_one_line_with_a_remedy(port):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        number = other.getsockname()[1] if port == "taken" else port
        with pytest.raises(UsageError, match="choose another --prometheus port"), serving("127.0.0.1", number, dict):
            pass
