"""Dollars per million tokens: electricity, and what a GPU really costs.

electricity  P_kW·PUE·$/kWh an hour
owned        capex·(1 + finance)/(years·8760) + host + electricity, an hour
rented       the rent alone: it holds the power already
$/Mtok       $/h·1e6/(3600·tok/s); divided by the load factor, because idle hours are paid too
split        input and output by their shares of GPU time: $/h·share·1e6/(3600·input tok/s), and likewise for output

A calculator of power alone misleads: at 800 W, PUE 1.5, $0.16 a kWh and 1,500 tok/s, electricity is $0.036 a million
tokens; a rent of $2.50 an hour is $0.463. Use the goodput at the operating point as throughput, not a peak.
"""

from dataclasses import dataclass
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Value
from perfproof.calc.value_text import text
from perfproof.core.errors import UsageError

HOURS_A_YEAR = 8760
NO_POWER = "unknown: give --avg-power and --electricity-cost"
NO_COST = "nothing says what an hour costs: give --rent, --capex, or --avg-power with --electricity-cost"


@dataclass(frozen=True)
class Hourly:
    """Dollars per hour of all GPUs; None is unknown."""

    electricity: float | None
    total: float | None
    how: str
    is_power_only: bool = False


def calculate(
    throughput: Annotated[float, Flag("Output tokens per second, all GPUs together.", "TOK/S", above=0)],
    avg_power: Annotated[float | None, Flag("Mean power per GPU, in watts.", "W", least=0)] = None,
    electricity_cost: Annotated[float | None, Flag("Price of electricity, in dollars per kWh.", "$", least=0)] = None,
    pue: Annotated[float, Flag("PUE: power of the building divided by power of the machines.", "X", least=1)] = 1.0,
    gpus: Annotated[int, Flag("Number of GPUs.", "N", least=1)] = 1,
    rent: Annotated[float | None, Flag("Rent in dollars per GPU hour, power included.", "$", least=0)] = None,
    capex: Annotated[
        float | None, Flag("Purchase price per GPU in dollars, with its share of the machine.", "$", least=0)
    ] = None,
    years: Annotated[float, Flag("Years of use, with --capex.", "Y", above=0)] = 4.0,
    finance: Annotated[float, Flag("Interest over all years, as a share of --capex.", "SHARE", least=0)] = 0.0,
    host: Annotated[float, Flag("Other costs in dollars per GPU hour, with --capex.", "$", least=0)] = 0.0,
    load_factor: Annotated[
        float, Flag("Mean load, as a share of the load at --throughput.", "SHARE", above=0, most=1)
    ] = 1.0,
    input_tokens: Annotated[
        float | None, Flag("Input tokens per request, to split the price into input and output.", "N", above=0)
    ] = None,
    output_tokens: Annotated[
        float | None, Flag("Output tokens per request, to split the price into input and output.", "N", above=0)
    ] = None,
    prefill_share: Annotated[
        float | None, Flag("Share of the GPU time that is spent in prefill.", "SHARE", above=0, most=0.999)
    ] = None,
    api_price: Annotated[
        float | None,
        Flag("Price of an API in dollars per million tokens, to find when your own GPUs are cheaper.", "$", above=0),
    ] = None,
) -> Answer:
    known_power = None
    if avg_power is not None and electricity_cost is not None:
        known_power = avg_power / 1e3 * pue * electricity_cost
    hourly = _hourly(gpus, known_power, rent, capex, years, finance, host)
    per_hour = 3600 * throughput
    of_power = f"{avg_power:g} W, PUE {pue:g}, ${electricity_cost:g}/kWh" if known_power is not None else NO_POWER
    price = _each(hourly.total, per_hour)
    values = [
        Value("dollars_per_hour", hourly.total, "$", hourly.how),
        Value("electricity_per_mtok", _each(hourly.electricity, per_hour), "$/Mtok", of_power),
        Value("price_per_mtok", price, "$/Mtok", "at full load"),
        Value("price_per_mtok_effective", _over(price, load_factor), "$/Mtok", f"load factor {load_factor:g}"),
    ]
    if hourly.total is None:
        return Answer("the price of a token is unknown", tuple(values), (), (NO_COST,))
    if hourly.total and hourly.electricity is not None and not hourly.is_power_only:
        values.append(Value("electricity_share", hourly.electricity / hourly.total, "share", "of the price"))
    values += _split(hourly.total / load_factor, throughput, input_tokens, output_tokens, prefill_share)
    if api_price is not None:
        values.append(_break_even(hourly.total, per_hour, api_price))
    headline = f"{text(_over(price, load_factor), '$')} per million output tokens, {hourly.how}"
    return Answer(headline, tuple(values), (), tuple(_warn(hourly)))


def _each(dollars: float | None, tokens: float) -> float | None:
    """Dollars per million tokens."""
    return None if dollars is None else dollars * 1e6 / tokens


def _over(price: float | None, load_factor: float) -> float | None:
    return None if price is None else price / load_factor


def _hourly(
    gpus: int, power: float | None, rent: float | None, capex: float | None, years: float, finance: float, host: float
) -> Hourly:
    if rent is not None and capex is not None:
        raise UsageError("--rent and --capex are two ways to pay: give one")
    electricity = None if power is None else gpus * power
    if rent is not None:
        return Hourly(electricity, gpus * rent, "rented, power included")
    if capex is not None:
        owned = capex * (1 + finance) / (years * HOURS_A_YEAR) + host + (power or 0.0)
        with_power = "with power" if power is not None else "without power, which is unknown"
        return Hourly(electricity, gpus * owned, f"owned over {years:g} years, {with_power}")
    if power is None:
        return Hourly(None, None, "unknown: nothing says what an hour costs")
    return Hourly(electricity, electricity, "electricity alone", is_power_only=True)


def _split(
    dollars: float, throughput: float, inputs: float | None, outputs: float | None, share: float | None
) -> list[Value]:
    if share is None:
        return []
    if inputs is None or outputs is None:
        raise UsageError("--prefill-share needs --input-tokens and --output-tokens of a request")
    into = throughput * inputs / outputs
    return [
        Value("input_per_mtok", dollars * share * 1e6 / (3600 * into), "$/Mtok", f"{share:.0%} of GPU time"),
        Value("output_per_mtok", dollars * (1 - share) * 1e6 / (3600 * throughput), "$/Mtok", f"{1 - share:.0%} of it"),
    ]


def _break_even(dollars: float, per_hour: float, api_price: float) -> Value:
    tokens = dollars * 24 / api_price * 1e6
    if tokens > per_hour * 24:
        return Value("break_even_tokens_per_day", None, "tok", "never: at full load the API is still cheaper")
    return Value("break_even_tokens_per_day", tokens, "tok", f"above it these GPUs beat ${api_price:g}/Mtok")


def _warn(hourly: Hourly) -> list[str]:
    if hourly.electricity is None and "without power" in hourly.how:
        return ["the electricity is unknown and not in the price: add --avg-power and --electricity-cost"]
    if not hourly.is_power_only:
        return []
    return ["this is electricity alone, usually under a tenth of the cost: add --rent or --capex"]
