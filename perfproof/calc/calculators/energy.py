"""Tokens per joule, joules per token and per request, and CO2.

tokens/J   output tokens / ((GPU energy + host energy)·PUE)
energy     from a counter (--energy-j with --tokens), else mean power x time (--avg-power with --throughput)
CO2        kWh·grams of CO2 a kWh of the grid

A counter of energy is exact; sampled power times time is not. Idle power is part of the bill: nothing is subtracted.
"""

from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Value
from perfproof.core.errors import UsageError

JOULES_A_KWH = 3.6e6


def calculate(
    throughput: Annotated[float | None, Flag("Output tokens per second, all GPUs together.", "TOK/S", above=0)] = None,
    avg_power: Annotated[float | None, Flag("Mean power per GPU, in watts.", "W", above=0)] = None,
    energy_j: Annotated[
        float | None, Flag("Energy by the GPUs' counters in joules, all GPUs together.", "J", above=0)
    ] = None,
    tokens: Annotated[float | None, Flag("Output tokens generated with --energy-j.", "N", above=0)] = None,
    gpus: Annotated[int, Flag("Number of GPUs, with --avg-power.", "N", least=1)] = 1,
    host_power: Annotated[float, Flag("Mean power of the host in watts, with --avg-power.", "W", least=0)] = 0.0,
    host_energy_j: Annotated[float, Flag("Energy of the host in joules, with --energy-j.", "J", least=0)] = 0.0,
    pue: Annotated[float, Flag("PUE: power of the building divided by power of the machines.", "X", least=1)] = 1.0,
    output_tokens: Annotated[float | None, Flag("Output tokens per request.", "N", above=0)] = None,
    co2_g_per_kwh: Annotated[
        float | None, Flag("Carbon intensity of your grid, in grams of CO2 per kWh.", "G", least=0)
    ] = None,
) -> Answer:
    each, how = _joules_a_token(throughput, avg_power, energy_j, tokens, gpus, host_power, host_energy_j)
    each *= pue
    per_million = each * 1e6 / JOULES_A_KWH
    values = [
        Value("tokens_per_joule", 1 / each, "tok/J", how),
        Value("joules_per_token", each, "J", f"PUE {pue:g}"),
        Value("kwh_per_mtok", per_million, "kWh/Mtok"),
    ]
    if output_tokens is not None:
        values.append(Value("joules_per_request", each * output_tokens, "J", f"{output_tokens:g} output tokens"))
    if co2_g_per_kwh is None:
        values.append(Value("co2_per_mtok", None, "g", "unknown: give --co2-g-per-kwh of your grid"))
    else:
        values.append(Value("co2_per_mtok", per_million * co2_g_per_kwh, "g", f"{co2_g_per_kwh:g} g a kWh"))
    return Answer(f"{1 / each:.3g} tokens per joule, {per_million:.3g} kWh per million tokens", tuple(values))


def _joules_a_token(
    throughput: float | None,
    power: float | None,
    energy: float | None,
    tokens: float | None,
    gpus: int,
    host_power: float,
    host_energy: float,
) -> tuple[float, str]:
    counted, sampled = energy is not None or tokens is not None, throughput is not None or power is not None
    if counted and sampled:
        raise UsageError("--energy-j with --tokens, or --avg-power with --throughput: give one of the two")
    if energy is not None and tokens is not None:
        return (energy + host_energy) / tokens, "from counters of energy"
    if power is not None and throughput is not None:
        return (gpus * power + host_power) / throughput, "from mean power"
    raise UsageError("give --energy-j and --tokens (from counters), or --avg-power and --throughput")
