"""One step of a program: a lane for each stream and thread, and why the device computed nothing where it did not."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from perfproof.core import units
from perfproof.report.figures import stretched, svg
from perfproof.report.figures.scale import round_values

KINDS = {
    "compute": "computing",
    "communication": "communication",
    "copy": "copy or fill",
    "operator": "host: operator",
    "call": "host: call of the runtime",
    "wait": "host: waiting for the device",
    "range": "range of the program",
}
CAUSES = {
    "input": "waits for input",
    "host": "waits for the host",
    "sync": "after a synchronisation",
    "allocation": "the host allocates memory",
    "copying": "the host is in a copying call",
    "copy": "only a copy runs",
    "launch": "between launches",
    "other": "waits for an event or a stream",
    "unknown": "idle, cause unknown",
}
LABEL, ROW, LANE_GAP = 15.0, 18.0, 7.0
KEY_ROW = 19.0
AXIS = 22.0
CELL = 0.004  # of the width, four pixels of a wide page: shorter ones that share a cell are drawn as one
LEAST = 0.0007  # of the width: the narrowest that is drawn
NAMED = 0.03  # of the width: blocks below carry no name
NARROW, MIDDLE = 0.10, 0.2


@dataclass(frozen=True)
class Block:
    """Something from `start` to `end`, in seconds; `row` is 0 for the outermost of nested ones.

    `filled` is the share of its time in which something ran: less than 1 where it stands for many short ones, and then
    it is drawn as high, so that a lane of tiny kernels does not look busier than it is.
    """

    start: float
    end: float
    kind: str  # of KINDS
    name: str
    row: int = 0
    filled: float = 1.0


@dataclass(frozen=True)
class Pause:
    start: float
    end: float
    cause: str  # of CAUSES
    count: int = 1


@dataclass(frozen=True)
class Lane:
    label: str
    blocks: Sequence[Block]
    pauses: Sequence[Pause] = field(default=())


def step_timeline(ident: str, title: str, lanes: Sequence[Lane], start: float, end: float) -> str | None:
    """From `start` to `end`; None where there is no time or nothing to draw."""
    if not end > start or not any(lane.blocks or lane.pauses for lane in lanes):
        return None
    key, top = _key(lanes)
    tracks, drawn, y = [], [], top
    for lane in lanes:
        track, blocks, y = _lane(lane, start, end, y)
        tracks += track
        drawn += blocks
    parts = [*key, *tracks, *_axis(start, end, top, y), *drawn]
    return stretched.picture(ident, title, description(lanes, start, end), y + AXIS, parts)


def paused(lanes: Sequence[Lane], start: float, end: float) -> dict[str, float]:
    """Seconds of each cause within the time, the longest first."""
    sums: dict[str, float] = {}
    for lane in lanes:
        for one in lane.pauses:
            sums[one.cause] = sums.get(one.cause, 0.0) + max(0.0, min(one.end, end) - max(one.start, start))
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def description(lanes: Sequence[Lane], start: float, end: float) -> str:
    """The picture in words."""
    length = end - start
    said = [f"{units.seconds(length)} from left to right, {len(lanes)} lanes."]
    for lane in lanes:
        covered = _covered([(one.start, one.end) for one in lane.blocks if one.row == 0], start, end)
        said.append(f"{lane.label}: busy {units.percent(covered / length)}.")
    for cause, seconds in paused(lanes, start, end).items():
        said.append(f"Idle, {CAUSES.get(cause, cause)}: {units.seconds(seconds)}, {units.percent(seconds / length)}.")
    return " ".join(said)


def _key(lanes: Sequence[Lane]) -> tuple[list[str], float]:
    """What ran to the left, why nothing ran to the right; only what is drawn is explained."""
    kinds = {one.kind for lane in lanes for one in lane.blocks}
    causes = {one.cause for lane in lanes for one in lane.pauses}
    work = [(f"work {kind}", said) for kind, said in KINDS.items() if kind in kinds]
    idle = [(f"pause {cause}", f"idle: {said}") for cause, said in CAUSES.items() if cause in causes]
    parts = []
    for x, rows in ((0.0, work), (0.5, idle)):
        for at, (style, said) in enumerate(rows):
            inside = [svg.tag("rect", x=0, y=3, width=12, height=12, class_=style), svg.words(said, 18, 13, "tick")]
            parts.append(stretched.part(x, KEY_ROW * at, 0.5, KEY_ROW, inside))
    return parts, KEY_ROW * max(len(work), len(idle)) + 6


def _lane(lane: Lane, start: float, end: float, y: float) -> tuple[list[str], list[str], float]:
    """The ground of a lane, what lies on it, and where the next one begins."""
    rows = 1 + max((one.row for one in lane.blocks), default=0)
    top = y + LABEL
    track = [stretched.words(lane.label, 0, y + 11, "tick"), stretched.bar(0, top, 1, ROW * rows, "track")]
    drawn = [part for pause in _thinned_pauses(lane.pauses, start, end) for part in _pause(pause, start, end, top)]
    for block in _thinned(lane.blocks, start, end):
        drawn += _block(block, start, end, top + ROW * block.row)
    return track, drawn, top + ROW * rows + LANE_GAP


def _block(block: Block, start: float, end: float, y: float) -> list[str]:
    x, width = _place(block.start, block.end, start, end)
    if width <= 0:
        return []
    height = max(1.0, (ROW - 1) * block.filled)
    inside = [
        stretched.hover(f"{block.name}: {units.seconds(block.end - block.start)}, {KINDS.get(block.kind, block.kind)}"),
        svg.tag("rect", y=ROW - 1 - height, width="100%", height=height),
    ]
    if width >= NAMED and (label := stretched.fitting(block.name, width)):
        inside.append(svg.words(label, 4, 12.5))
    reach = " narrow" if width < NARROW else " middle" if width < MIDDLE else ""
    return [stretched.part(x, y, max(width, LEAST), ROW, inside, class_=f"work {block.kind}{reach}")]


def _pause(pause: Pause, start: float, end: float, y: float) -> list[str]:
    x, width = _place(pause.start, pause.end, start, end)
    if width < LEAST:
        return []
    many = f"{pause.count:,} short ones, mostly " if pause.count > 1 else ""
    said = f"idle, {many}{CAUSES.get(pause.cause, pause.cause)}: {units.seconds(pause.end - pause.start)}"
    inside = [stretched.hover(said), svg.tag("rect", width="100%", height=ROW - 1)]
    return [stretched.part(x, y, width, ROW, inside, class_=f"pause {pause.cause}")]


def _thinned(blocks: Sequence[Block], start: float, end: float) -> list[Block]:
    """Short ones of one row and kind that share a cell become one."""
    cell = CELL * (end - start)
    long = [one for one in blocks if one.end - one.start >= cell]
    cells: dict[tuple[int, str, int], list[Block]] = {}
    for one in blocks:
        if one.end - one.start < cell and one.start < end and one.end > start:
            cells.setdefault((one.row, one.kind, int((one.start - start) / cell)), []).append(one)
    return long + [_joined(own) for own in cells.values()]


def _joined(own: list[Block]) -> Block:
    if len(own) == 1:
        return own[0]
    begin, finish = min(one.start for one in own), max(one.end for one in own)
    longest = max(own, key=lambda one: one.end - one.start)
    busy = _covered([(one.start, one.end) for one in own], begin, finish)
    name = f"{len(own):,} short ones, the longest {longest.name}"
    return Block(begin, finish, longest.kind, name, longest.row, busy / (finish - begin) if finish > begin else 1.0)


def _thinned_pauses(pauses: Sequence[Pause], start: float, end: float) -> list[Pause]:
    """Short ones that share a cell become one, of the cause that took most of it. What ran between is drawn above."""
    cell = CELL * (end - start)
    cells: dict[int, list[Pause]] = {}
    for one in pauses:
        if one.end - one.start < cell:
            cells.setdefault(int((one.start - start) / cell), []).append(one)
    short = []
    for own in cells.values():
        cause = next(iter(paused([Lane("", (), own)], start, end)))
        short.append(Pause(min(one.start for one in own), max(one.end for one in own), cause, len(own)))
    return [one for one in pauses if one.end - one.start >= cell] + short


def _axis(start: float, end: float, top: float, bottom: float) -> list[str]:
    length = end - start
    parts = []
    for tick in round_values(0, length, 5):
        x = tick / length
        anchor = "start" if x < 0.03 else "end" if x > 0.97 else "middle"
        parts.append(stretched.line(x, top, bottom, "grid"))
        parts.append(stretched.words(units.seconds(tick) if tick else "0", x, bottom + 14, "tick", anchor))
    return parts


def _place(start: float, end: float, left: float, right: float) -> tuple[float, float]:
    """Where it lies and how wide it is, as shares, cut at the edges."""
    begin, finish = (min(max(time, left), right) for time in (start, end))
    return (begin - left) / (right - left), max(0.0, finish - begin) / (right - left)


def _covered(spans: Sequence[tuple[float, float]], left: float, right: float) -> float:
    """Time that at least one of them covers."""
    covered, at = 0.0, left
    for start, end in sorted(spans):
        covered += max(0.0, min(end, right) - max(start, at))
        at = max(at, min(end, right))
    return covered
