"""Random results: a side is right if its draws come from the reference's distribution, on the same arguments.

Reference and side are called many times. What is read of the draws (draws.py) is counted in cells, and the
counts are compared: at each place, at pairs of places, and in figures of the whole result. Draws must not depend on
each other either: a side that repeats a sample or a recorded stream fails. The reference is drawn twice: cells and
ranks come from the first sample, tests are made on the second, so p values hold whatever the distribution is.

`ERROR` is the chance that an honest pair fails, over all tests of one size together (Bonferroni). Before a side is
tested, wrong samples made of the reference's own must be told from it; if they are not, the check has no power.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy

from perfproof.core.trees import leaves
from perfproof.stats import chance
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.draws import ONE_SHAPE, Places, Reader, choose_places, figure_names, shape_problem
from perfproof.worker.verify.numbers import in_type_of

NAME, POWER_NAME = "distribution", "distribution can be told"
ERROR = 1e-4
LEAST, FIRST, MOST = 32, 4096, 16_384  # draws: with 2,048, one temperature of 1.1 in three was not found
SECONDS, PATIENCE = 1.0, 5.0  # for the draws of a function, and so many times longer if they have no power yet
WALL_TIMES = 4.0  # seconds are the processor's; on the wall so many times more
CELLS, MOST_VALUES, COMMON = 8, 12, 16  # cells of ordered values; values with a cell of their own, seen so often
PAIRS, SINGLES = 8, 8
TRIES = 5
MOST_LAGS, NEAR = 512, 32  # calls: how far apart draws are held against each other, and around the middle
MIXED, MIXED_ALONE = 0.1, 0.25  # controls: the share of the values that is replaced, and of a single one
WIDER = 1.2  # how much wider another one spreads them
SHOWS = 0.03  # of the probability: a control that moves less is not needed beside one that moves more
SAME, TWICE = "one sample repeated", "each sample twice"
MORE = "return more samples per call, make a call shorter at the `smoke` sizes, or take a generator as an argument"

Draw = Callable[[], Any]
Sample = list[numpy.ndarray]  # for each part [draw, column]
_thread_time, _now = time.thread_time, time.perf_counter


@dataclass
class Found:
    """What the check says: of a side that is wrong, of a check without power, and of what was done."""

    problem: str = ""
    powerless: str = ""
    detail: str = ""


@dataclass
class Tested:
    """One test: what it looks at, its p value, and by how many tests of its kind that is multiplied."""

    what: str
    p: float
    of: int

    @property
    def adjusted(self) -> float:
        return min(1.0, self.p * self.of)


def check(
    reference: Draw,
    sides: dict[str, Sequence[Draw]],
    tolerance: dict[str, Any],
    agree: Callable[[float], float] = float,
) -> Found:
    """Draw and compare. Each side is given as one function, or as two loaded apart that share its draws.

    `agree` is the largest value of all ranks: they make the same calls.
    """
    try:
        return _check(reference, sides, tolerance, agree)
    except Misshapen as error:
        return Found(str(error))


def _check(
    reference: Draw, sides: dict[str, Sequence[Draw]], tolerance: dict[str, Any], agree: Callable[[float], float]
) -> Found:
    rng = numpy.random.default_rng()
    first = {name: draws[0]() for name, draws in sides.items()}
    model, example = next(iter(first.values())), reference()
    problem = next((f"{name} {wrong}" for name, one in first.items() if (wrong := shape_problem(one, example))), "")
    if agree(bool(problem)):
        return Found(problem)
    places = choose_places(model, tolerance, rng)
    rounded = in_types_of(model, reference)
    most = int(1 / agree(1 / affordable([rounded, *(draws[-1] for draws in sides.values())], places)))
    count, drawn = 0, 2 * [[numpy.empty((0, 0)) for _ in places]]
    while True:
        more = count or min(FIRST, most)
        drawn = [_joined(old, take(rounded, more, places)) for old in drawn]
        count += more
        judge = Judge(places, drawn[0], drawn[1], len(sides), rng)
        if agree(not judge.varying):
            return Found("the reference gives the same result every time: let it draw, or remove `distribution`")
        missed, caught = judge.controls()
        if not agree(bool(missed)) or 2 * count > min(MOST, PATIENCE * most):
            break
    detail = f"{count:,} draws per side; an honest pair fails once in {1 / ERROR:,.0f}; told apart: {', '.join(caught)}"
    if agree(bool(missed)):
        powerless = f"{count:,} draws do not tell {missed} from the reference: {MORE}" if missed else ""
        return Found(powerless=powerless, detail=detail)
    for name, draws in sides.items():
        halves = [take(draws[0], count - count // 2, places), take(draws[-1], count // 2, places)]
        problem = judge.fixed_problem(first[name], example, tolerance) or judge.problem(_joined(*halves))
        if agree(bool(problem)):
            return Found(f"{name}: {problem}" if problem else "")
    return Found(detail=detail)


class Misshapen(ValueError):
    """A draw that has not the shape of the others."""


def in_types_of(model: Any, draw: Draw) -> Draw:
    """Draws of the reference, rounded to the types that a side returns."""
    models = [leaf for _, leaf in leaves(model)]

    def rounded() -> list:
        found = [leaf for _, leaf in leaves(draw())]
        if len(found) != len(models):
            raise Misshapen(f"the reference returns {len(found)} parts, the baseline {len(models)}")
        return [in_type_of(leaf, like) for leaf, like in zip(found, models, strict=True)]

    return rounded


def take(draw: Draw, count: int, places: list[Places]) -> Sample:
    """So many draws, read. What is not of the shape that the places were chosen in is refused."""
    reader, wanted = Reader(places), [part.shape for part in places]
    for _ in range(count):
        if (found := reader.take(draw())) != wanted:
            raise Misshapen(f"a draw has the shapes {found[:4]}, the first one had others: {ONE_SHAPE}")
    return reader.rows()


class Judge:
    """The reference's draws, and what they say about others."""

    def __init__(self, places: list[Places], trained: Sample, tested: Sample, sides: int, rng: numpy.random.Generator):
        self._places, self._sides, self._rng = places, sides, rng
        self._finite = [bool(numpy.isfinite(one).all()) for one in _joined(trained, tested)]
        self._trained, self._tested = finite(trained), finite(tested)
        self.varying = [at for at, part in enumerate(places) if varies(part, self._trained[at], self._tested[at])]
        self._ranked = {at: Ranked(places[at], self._trained[at]) for at in self.varying}

    def problem(self, sample: Sample) -> str:
        """What is wrong with a side's draws, by the smallest p value."""
        for at, part in enumerate(self._places):
            if self._finite[at] and not numpy.isfinite(sample[at]).all():
                return f"a draw has NaN or infinity{part.of_part}, no draw of the reference has"
            if at not in self.varying and varies(part, finite(sample)[at]):
                return f"draws differ{part.of_part or ' from each other'}, those of the reference do not"
        worst = min(self._tests(finite(sample), whole=True), key=lambda one: one.adjusted)
        chances = f"p = {worst.adjusted * self._sides:.2g} over all tests and {len(sample[0]):,} draws"
        return f"{worst.what} ({chances})" if worst.adjusted * self._sides <= ERROR else ""

    def fixed_problem(self, output: Any, example: Any, tolerance: dict[str, Any]) -> str:
        """Parts that the reference gives alike in every draw are compared by value."""
        ours, theirs = ([leaf for _, leaf in leaves(one)] for one in (output, example))
        for at, part in enumerate(self._places):
            if at not in self.varying and (problem := difference(ours[at], theirs[at], tolerance).problem):
                return f"what is the same in every draw{part.of_part} {problem}"
        return ""

    def controls(self) -> tuple[str, list[str]]:
        """The first wrong sample that is not told from the reference, and the ones that are."""
        caught: dict[str, None] = {}
        for name, sample, needed in self._wrong_samples():
            told = any(one.adjusted * self._sides <= ERROR for one in self._tests(sample, whole=False))
            if needed and not told:
                return name, list(caught)
            if told:
                caught[name] = None
        return "", list(caught)

    def _wrong_samples(self) -> Iterator[tuple[str, Sample, bool]]:
        """Each with its name, and whether it has to be told; others may be as good as right."""
        trained, count = self._trained, len(self._trained[0])
        yield SAME, [one[numpy.zeros(count, int)] for one in trained], True
        yield TWICE, [one[numpy.arange(count) // 2] for one in trained], True
        for at in self.varying:
            ranked, part = self._ranked[at], self._places[at]
            for name, values in ranked.wrong(self._rng):
                yield f"{name}{part.of_part}", _exchanged(trained, at, values), True
            if part.columns > 1:
                values = numpy.roll(trained[at][:, : part.columns], 1, axis=1)
                yield f"shuffled places{part.of_part}", _exchanged(trained, at, values), False
                together = numpy.sort(trained[at][:, : part.columns], axis=0)[self._rng.permutation(count)]
                yield f"places that go together{part.of_part}", _exchanged(trained, at, together), False

    def _tests(self, sample: Sample, whole: bool) -> Iterator[Tested]:
        """Half of the error is for comparing, a quarter for draws that follow others, an eighth for each of the rest.

        With `whole`, figures of whole parts are compared too; a control has none.
        """
        compared = self._comparisons(sample, whole)
        yield from (Tested(what, compare(), 2 * len(compared)) for what, compare in compared)
        yield self._correlated(sample)
        yield self._repeated(sample)
        yield from self._following(sample, whole)

    def _comparisons(self, sample: Sample, whole: bool) -> list[tuple[str, Callable[[], float]]]:
        """What is compared, and how to get its p value; figures, which show most, come first."""
        figures, singles, titles, ours, theirs = [], [], [], [], []
        for at in self.varying:
            part, ranked = self._places[at], self._ranked[at]
            mine, other = (ranked.ranks(one[at]) for one in (sample, self._tested))
            both = (ranked.figures(sample[at], mine), ranked.figures(self._tested[at], other))
            for what in both[0]:
                figures.append((f"{what}{part.of_part}", partial(_compare, both[0][what], both[1][what])))
            for what, column, slack in part_figures(part, self._tested[at]) if whole else ():
                values = (sample[at][:, column], self._tested[at][:, column])
                figures.append((f"{what}{part.of_part}", partial(_compare, *values, slack=slack)))
            compared = (sample[at], self._tested[at]) if part.discrete else (mine, other)
            compare = _compare_values if part.discrete else _compare
            for column in range(part.columns):
                columns = (one[:, column] for one in compared)
                singles.append((part.title(column), partial(compare, *columns)))
            ours.append(mine)
            theirs.append(other)
            titles += [part.title(column) for column in range(part.columns)]
        mine, other = numpy.concatenate(ours, 1), numpy.concatenate(theirs, 1)
        return [
            *((f"{what} differ from the reference's", compare) for what, compare in figures),
            *((f"the distribution at {what} is not the reference's", compare) for what, compare in singles),
            *(
                (
                    f"{titles[one]} and {titles[two]} depend on each other in another way than the reference's",
                    partial(_compare_pairs, mine[:, [one, two]], other[:, [one, two]]),
                )
                for one, two in self._pairs(len(titles))
            ),
        ]

    def _pairs(self, columns: int) -> list[tuple[int, int]]:
        """Columns of all parts side by side: some neighbours, some equal places of two parts, and some at random."""
        found, begin, former = [], 0, None
        for at in self.varying:
            part = self._places[at]
            for pairs in (part.neighbours, part.rows):
                found += [(begin + int(one), begin + int(two)) for one, two in pairs[:PAIRS]]
            if former and former.shape == part.shape:
                found += [(begin - part.columns + one, begin + one) for one in range(min(PAIRS, part.columns))]
            begin, former = begin + part.columns, part
        if columns > 1:
            found += [tuple(self._rng.choice(columns, 2, replace=False).tolist()) for _ in range(PAIRS)]
        return list(dict.fromkeys(found))

    def _correlated(self, sample: Sample) -> Tested:
        """Are any two places on one side of their medians more, or less, often than the reference's?"""
        titles = [self._places[at].title(column) for at in self.varying for column in range(self._places[at].columns)]
        count, agree = len(sample[0]), []
        for one in (sample, self._tested):
            above = numpy.concatenate([self._ranked[at].ranks(one[at]) for at in self.varying], 1) > 0.5
            agree.append(above.T.astype(float) @ above + (~above).T.astype(float) @ ~above)
        both = agree[0] + agree[1]
        statistic = numpy.triu(
            (agree[0] - agree[1]) ** 2 * (1 / numpy.maximum(both, 1) + 1 / numpy.maximum(2 * count - both, 1))
        )
        first, second = numpy.unravel_index(statistic.argmax(), statistic.shape)
        what = f"{titles[first]} and {titles[second]} go together in another way than the reference's"
        return Tested(what, chance.chi_square(float(statistic.max()), 2), 8 * len(titles) ** 2)

    def _repeated(self, sample: Sample) -> Tested:
        """Do results come again more often than the reference's?"""
        ours, theirs = _repeats(
            [sample[at] for at in self.varying], [self._tested[at] for at in self.varying], self._rng
        )
        what = f"{ours:,} pairs of draws are equal, {theirs:,} of the reference's: draw anew in every call"
        return Tested(what, chance.share(ours, ours + theirs, 0.5), 8)

    def _following(self, sample: Sample, whole: bool) -> Iterator[Tested]:
        """Do draws depend on earlier ones? A replayed stream depends on itself, some calls later."""
        columns = []
        for at in self.varying:
            ranks = self._ranked[at].ranks(sample[at])
            columns += [*ranks.T[:SINGLES], *self._ranked[at].figures(sample[at], ranks).values()]
            columns += [*sample[at].T[self._places[at].columns :]] if whole else []
        halves = [half for column in columns if (half := _half(column)) is not None]
        count = len(sample[0])
        near = range(count // 2 - NEAR, count // 2 + NEAR)  # there another instance begins
        apart = {*range(1, min(count // 2, MOST_LAGS) + 1), *near}
        lags = sorted(lag for lag in apart if 0 < lag < count - LEAST // 2)
        if halves and lags:
            chances = _associations(halves, lags).min(1)
            best = int(chances.argmin())
            what = f"draws that are {lags[best]:,} calls apart depend on each other: draw anew in every call"
            yield Tested(what, float(chances[best]), 4 * len(lags) * len(halves))


class Ranked:
    """A part of the reference's first sample: what values of other draws are held against."""

    def __init__(self, part: Places, trained: numpy.ndarray):
        self.part, self._values = part, trained[:, : part.columns]
        self._ordered = numpy.sort(self._values, axis=0)
        self._counts = [numpy.unique(column, return_counts=True) for column in self._ordered.T]

    def ranks(self, sample: numpy.ndarray) -> numpy.ndarray:
        """From 0 to 1: the middle of the places that a value could take in the reference's order.

        Values within the tolerance of each other share their places: rounding is no difference.
        """
        rtol, atol = self.part.tolerance
        found = numpy.empty((len(sample), self.part.columns))
        for column, known in enumerate(self._ordered.T):
            order = sample[:, column].argsort()  # places of ordered values are found several times faster
            values = sample[order, column]
            slack = numpy.nan_to_num(atol + rtol * numpy.abs(values), nan=0.0, posinf=0.0)
            below, upto = known.searchsorted(values - slack), known.searchsorted(values + slack, "right")
            found[order, column] = (below + upto) / (2 * len(known))
        return found

    def figures(self, sample: numpy.ndarray, ranks: numpy.ndarray) -> dict[str, numpy.ndarray]:
        """One number for each draw, over all places: small differences at many places add up."""
        part, centred = self.part, 2 * ranks - 1
        found = {}
        if part.columns > 1:
            found["the means of the values"] = centred.mean(1)
            found["the spreads of the values"] = (centred**2).mean(1)
            ordered = numpy.sort(sample[:, : part.columns], axis=1)
            rtol, atol = part.tolerance
            alike = ordered[:, 1:] <= ordered[:, :-1] + atol + rtol * numpy.abs(ordered[:, :-1])
            found["the numbers of equal values"] = alike.sum(1).astype(float)
        for what, pairs in (("neighbouring values", part.neighbours), ("values of two rows", part.rows)):
            if len(pairs):
                found[f"products of {what}"] = (centred[:, pairs[:, 0]] * centred[:, pairs[:, 1]]).mean(1)
        if part.discrete:
            found["how likely the values are"] = self._likelihood(sample)
        return found

    def _likelihood(self, sample: numpy.ndarray) -> numpy.ndarray:
        total = numpy.zeros(len(sample))
        for column, (known, counts) in enumerate(self._counts):
            at = numpy.minimum(known.searchsorted(sample[:, column]), len(known) - 1)
            seen = numpy.where(known[at] == sample[:, column], counts[at], 0)
            total += numpy.log((seen + 0.5) / (len(self._values) + 1))
        return total / max(1, self.part.columns)

    def wrong(self, rng: numpy.random.Generator) -> Iterator[tuple[str, numpy.ndarray]]:
        """Samples of a distribution next to the right one."""
        values, counts = self._values, self._counts
        mixed = MIXED if self.part.columns > 1 else MIXED_ALONE
        moved = rng.random(values.shape) < mixed
        middle = numpy.median(values, axis=0)
        different = numpy.mean([len(known) for known, _ in counts if len(known) > 1])
        if not self.part.discrete and different > len(values) / 2:  # continuous
            yield f"values spread {WIDER} times as wide", middle + WIDER * (values - middle)
            yield f"{mixed:.0%} of the values at the median", numpy.where(moved, middle, values)
            return
        common = numpy.array([known[seen.argmax()] for known, seen in counts])
        rarer = mixed * numpy.mean([1 - seen.max() / seen.sum() for _, seen in counts])  # how much probability moves
        evener = mixed * numpy.mean([numpy.abs(seen / seen.sum() - 1 / len(seen)).sum() / 2 for _, seen in counts])
        if rarer >= min(SHOWS, evener):
            yield f"{mixed:.0%} of the commonest value", numpy.where(moved, common, values)
        if evener >= min(SHOWS, rarer):
            any_value = numpy.stack([rng.choice(known, len(values)) for known, _ in counts], 1)
            yield f"{mixed:.0%} of a uniform distribution", numpy.where(moved, any_value, values)


def part_figures(part: Places, tested: numpy.ndarray) -> Iterator[tuple[str, int, float]]:
    """Figures of the whole part: what each is, its column, and what rounding may do to it."""
    rtol, atol = part.tolerance
    for column, what in enumerate(figure_names(part), part.columns):
        yield what, column, atol + rtol * float(numpy.abs(tested[:, column]).max())


def _compare(ours: numpy.ndarray, theirs: numpy.ndarray, slack: float = 0.0) -> float:
    return chance.two_samples(*_ordered_codes(ours, theirs, slack=slack))


def _compare_values(ours: numpy.ndarray, theirs: numpy.ndarray) -> float:
    return chance.two_samples(*_value_codes(ours, theirs))


def _compare_pairs(ours: numpy.ndarray, theirs: numpy.ndarray) -> float:
    """Two columns at once, in nine cells."""
    (mine, other), (also, another) = (_ordered_codes(ours[:, at], theirs[:, at], 3) for at in (0, 1))
    return chance.two_samples(3 * mine + also, 3 * other + another)


def _ordered_codes(
    ours: numpy.ndarray, theirs: numpy.ndarray, cells: int = 0, slack: float = 0.0
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Cells with about as many values of both together in each. An edge with many values next to it is left out."""
    pooled = numpy.sort(numpy.concatenate([ours, theirs]))
    cells = cells or max(2, min(CELLS, len(ours) // 16))
    edges = numpy.unique(pooled[len(pooled) * numpy.arange(1, cells) // cells]) - slack
    if slack:
        near = pooled.searchsorted(edges + 2 * slack) - pooled.searchsorted(edges - slack)
        edges = edges[near < len(pooled) / 4]
    return numpy.digitize(ours, edges), numpy.digitize(theirs, edges)


def _value_codes(ours: numpy.ndarray, theirs: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Common values have a cell each; the rest is split by order."""
    known, counts = numpy.unique(numpy.concatenate([ours, theirs]), return_counts=True)
    common = known[numpy.argsort(-counts, kind="stable")[:MOST_VALUES]]
    common = numpy.sort(common[counts[known.searchsorted(common)] >= COMMON])
    rest = numpy.concatenate([one[~numpy.isin(one, common)] for one in (ours, theirs)])
    edges = numpy.unique(numpy.sort(rest)[len(rest) * numpy.arange(1, 4) // 4]) if len(rest) else rest

    def codes(values: numpy.ndarray) -> numpy.ndarray:
        if not len(common):
            return numpy.digitize(values, edges)
        at = numpy.minimum(common.searchsorted(values), len(common) - 1)
        return numpy.where(common[at] == values, at, len(common) + numpy.digitize(values, edges))

    return codes(ours), codes(theirs)


def _repeats(ours: Sample, theirs: Sample, rng: numpy.random.Generator) -> tuple[int, int]:
    """Pairs of equal results among ours, and among theirs. Equal ones of both together are paired at random."""
    both = numpy.array(marks(ours) + marks(theirs), numpy.int64)
    order = rng.permutation(len(both))
    both, mine = both[order], order < len(ours[0])
    order = numpy.argsort(both, kind="stable")
    both, mine = both[order], mine[order]
    starts = numpy.searchsorted(both, both)  # of the group of equal ones
    begins = numpy.flatnonzero(((numpy.arange(len(both)) - starts)[:-1] % 2 == 0) & (both[:-1] == both[1:]))
    return int((mine[begins] & mine[begins + 1]).sum()), int((~mine[begins] & ~mine[begins + 1]).sum())


def marks(sample: Sample) -> list[int]:
    """A number for each draw: equal for equal ones."""
    return [hash(tuple(part[row].tobytes() for part in sample)) for row in range(len(sample[0]))]


def _half(column: numpy.ndarray) -> numpy.ndarray | None:
    """Above the median or not; None if nearly all are alike."""
    middle = numpy.median(column)
    above, upto = column > middle, column >= middle
    best = min((above, upto), key=lambda one: abs(float(one.mean()) - 0.5))
    return best if 0 < best.sum() < len(best) else None


def _associations(halves: list[numpy.ndarray], lags: list[int]) -> numpy.ndarray:
    """[lag, column]: p values of pairs of draws that are so far apart, none of them in two pairs.

    A column is one integer with a bit per draw: a lag is a shift, and a count is a count of bits.
    """
    count, counts = len(halves[0]), numpy.empty((4, len(lags), len(halves)))
    columns = [int.from_bytes(numpy.packbits(half, bitorder="little").tobytes(), "little") for half in halves]
    for row, lag in enumerate(lags):
        at = numpy.arange(count - lag) % (2 * lag) < lag
        paired = int.from_bytes(numpy.packbits(at, bitorder="little").tobytes(), "little")
        for place, column in enumerate(columns):
            first, second = column & paired, column >> lag & paired
            counts[:, row, place] = [one.bit_count() for one in (first, second, first & second, paired)]
    return chance.association(*counts)


def finite(sample: Sample) -> Sample:
    """Infinities and NaN as numbers that no draw has: they have an order, and are equal to themselves."""
    return [numpy.nan_to_num(one, nan=3e300, posinf=2e300, neginf=-2e300) for one in sample]


def varies(part: Places, *samples: numpy.ndarray) -> bool:
    both = numpy.concatenate(samples)
    if not both.size:
        return False
    rtol, atol = part.tolerance
    low, high = both.min(0), both.max(0)
    return bool((high - low > 2 * (atol + rtol * numpy.maximum(abs(low), abs(high)))).any())


def _exchanged(sample: Sample, at: int, values: numpy.ndarray) -> Sample:
    return [values if place == at else one for place, one in enumerate(sample)]


def _joined(one: Sample, other: Sample) -> Sample:
    return [numpy.concatenate([a, b]) if a.size else b for a, b in zip(one, other, strict=True)]


def affordable(functions: list[Draw], places: list[Places]) -> int:
    """How many draws of the slowest function its time allows; the first calls may be slow."""
    slowest = max(min(_seconds(draw, places) for _ in range(TRIES)) for draw in functions)
    return max(LEAST, min(MOST, round(SECONDS / slowest)))


def _seconds(draw: Draw, places: list[Places]) -> float:
    reader, processor, wall = Reader(places), _thread_time(), _now()
    reader.take(draw())
    return max(1e-9, _thread_time() - processor, (_now() - wall) / WALL_TIMES)
