"""When requests arrive in an open loop: seconds after the start, drawn before the test from one seed.

constant            every 1/rate seconds
poisson             exponential gaps: users who do not know of each other
gamma, cv           gaps with a coefficient of variation: 1 is Poisson, more is burstier
bursts, on, off     Poisson at a higher rate for `on` seconds, then nothing for `off`; the mean rate is as asked
ramp, to            Poisson whose rate rises or falls linearly from `rate` to `to`
steps               Poisson at one rate after the other, in equal parts of the time: 2,4,8
"""

import math
from dataclasses import dataclass

import numpy

from perfproof.core.errors import UsageError

KINDS = ("poisson", "constant", "gamma", "bursts", "ramp", "steps")
MOST = 5_000_000  # requests of one test


@dataclass(frozen=True)
class Arrivals:
    kind: str
    rates: tuple[float, ...]  # per second; several for steps
    cv: float = 1.0
    on: float = 1.0
    off: float = 1.0
    to: float = 0.0

    @property
    def rate(self) -> float:
        """The mean rate."""
        return (self.rates[0] + self.to) / 2 if self.kind == "ramp" else sum(self.rates) / len(self.rates)

    @property
    def text(self) -> str:
        values = {
            "gamma": f", cv {self.cv:g}",
            "bursts": f", {self.on:g} s on and {self.off:g} s off",
            "ramp": f" to {self.to:g}",
        }
        return f"{self.kind} {', '.join(f'{rate:g}' for rate in self.rates)}{values.get(self.kind, '')} per second"


def parse_arrivals(kind: str, rate: str) -> Arrivals:
    """`--arrivals poisson`, `gamma:cv=2`, `bursts:on=1,off=4`, `ramp:to=20`; `--rate 5`, or 2,4,8 for steps."""
    name, _, settings = kind.partition(":")
    if name not in KINDS:
        raise UsageError(f"--arrivals {name!r} is unknown: choose {', '.join(KINDS)}")
    rates = tuple(_positive(part, f"--rate {rate!r}") for part in rate.split(","))
    if len(rates) > 1 and name != "steps":
        raise UsageError(f"--rate {rate!r} lists several rates: that is --arrivals steps")
    known = {"gamma": ("cv",), "bursts": ("on", "off"), "ramp": ("to",)}.get(name, ())
    values: dict[str, float] = {}
    for part in settings.split(",") if settings else []:
        key, _, value = part.partition("=")
        if key not in known:
            says = f"it takes {', '.join(known)}" if known else "it takes no setting"
            raise UsageError(f"--arrivals {kind!r}: {key!r} is no setting of {name}; {says}")
        values[key] = _positive(value, f"--arrivals {kind!r}")
    if name == "ramp" and "to" not in values:
        raise UsageError("--arrivals ramp needs the last rate: ramp:to=20")
    return Arrivals(name, rates, **values)


def draw_times(arrivals: Arrivals, seconds: float, seed: int) -> numpy.ndarray:
    """All arrivals in [0, seconds), in order."""
    if arrivals.rate * seconds > MOST:
        raise UsageError(f"{arrivals.rate * seconds:.3g} requests are more than {MOST:,}: lower --rate or --duration")
    rng = numpy.random.default_rng(seed)
    return _DRAWN[arrivals.kind](arrivals, seconds, rng)


def _constant(arrivals: Arrivals, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    return numpy.arange(math.ceil(seconds * arrivals.rate - 1e-9)) / arrivals.rate


def _poisson(arrivals: Arrivals, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    return _at_rate(arrivals.rate, seconds, rng)


def _gamma(arrivals: Arrivals, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    shape = 1 / arrivals.cv**2
    gaps = _gaps(lambda count: rng.gamma(shape, 1 / (arrivals.rate * shape), count), arrivals.rate * seconds, seconds)
    return gaps[gaps < seconds]


def _bursts(arrivals: Arrivals, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    """Arrivals of the `on` parts, put one behind the other, and the pauses pushed in between."""
    period = arrivals.on + arrivals.off
    whole, rest = divmod(seconds, period)
    busy = whole * arrivals.on + min(rest, arrivals.on)
    times = _at_rate(arrivals.rate * period / arrivals.on, busy, rng)
    return times + numpy.floor(times / arrivals.on) * arrivals.off


def _ramp(arrivals: Arrivals, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    """A Poisson process in the integral of the rate, mapped back to time."""
    first, last = arrivals.rates[0], arrivals.to
    slope = (last - first) / seconds
    passed = _at_rate(1.0, (first + last) / 2 * seconds, rng)
    if abs(slope) * seconds < 1e-9 * first:
        return passed / first
    return (numpy.sqrt(first**2 + 2 * slope * passed) - first) / slope


def _steps(arrivals: Arrivals, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    part = seconds / len(arrivals.rates)
    return numpy.concatenate([_at_rate(rate, part, rng) + part * at for at, rate in enumerate(arrivals.rates)])


def _at_rate(rate: float, seconds: float, rng: numpy.random.Generator) -> numpy.ndarray:
    times = _gaps(lambda count: rng.exponential(1 / rate, count), rate * seconds, seconds)
    return times[times < seconds]


def _gaps(draw, expected: float, seconds: float) -> numpy.ndarray:  # type: ignore[no-untyped-def]
    """Sums of drawn gaps until they pass the end."""
    times = numpy.cumsum(draw(int(expected + 6 * math.sqrt(expected) + 10)))
    while times[-1] < seconds:
        times = numpy.concatenate([times, times[-1] + numpy.cumsum(draw(len(times)))])
    return times


_DRAWN = {
    "constant": _constant,
    "poisson": _poisson,
    "gamma": _gamma,
    "bursts": _bursts,
    "ramp": _ramp,
    "steps": _steps,
}


def _positive(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"{what}: {text!r} is no number") from None
    if not (value > 0 and math.isfinite(value)):
        raise UsageError(f"{what}: {text!r} must be above 0")
    return value
