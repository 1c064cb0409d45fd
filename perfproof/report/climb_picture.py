"""The climb of a lab as a picture: one bar per step, on a logarithmic axis, and the library as a mark on each."""

from collections.abc import Sequence

from perfproof.report.climb import Step
from perfproof.report.figures.scale import Scale
from perfproof.report.figures.svg import tag
from perfproof.report.figures.svg_file import EDGE, GRID, label, marker, stroke, svg_file, text_width

SIZE, ROW, TOP, MARGIN, LONGEST = 13.0, 27.0, 46.0, 16.0, 520.0
STEP, LIBRARY = "#0072b2", "#d55e00"  # Okabe and Ito: colour-blind people can tell them apart


def svg(steps: Sequence[Step], title: str) -> str:
    """The picture, with nothing to load from elsewhere."""
    names = [step.name.replace("step_", "").replace("_", " ") for step in steps]
    rates = [step.rate / 1e12 for step in steps]
    libraries = [step.library / 1e12 for step in steps]
    left = MARGIN + max(text_width(name, SIZE) for name in names) + 10
    scale = Scale(min(rates) / 4, 1.1 * max(rates + libraries), left, left + LONGEST, log=True)
    bottom = TOP + ROW * len(steps)
    parts = [label(title, (MARGIN, 24), 16, bold=True)]
    for value in scale.ticks(7):
        parts.append(stroke([(scale.at(value), TOP), (scale.at(value), bottom)], GRID, 1.0))
        parts.append(label(f"{value:g}", (scale.at(value), bottom + 14), SIZE, anchor="middle"))
    for row, (name, rate, library) in enumerate(zip(names, rates, libraries, strict=True)):
        y, end = TOP + ROW * (row + 0.5), scale.at(rate)
        parts.append(label(name, (left - 8, y), SIZE, anchor="end"))
        parts.append(tag("rect", x=left, y=y - 9, width=end - left, height=18.0, fill=STEP))
        parts.append(label(f"{rate:.3g}", (end - 5, y), 12, "#ffffff", anchor="end"))
        parts += [marker("|", (scale.at(library), y), 11, LIBRARY)] if library else []
    parts.append(stroke([(left, TOP), (left, bottom), (left + LONGEST, bottom)], EDGE, 1.1))
    under = bottom + 36
    parts.append(label(f"TFLOP/s on {steps[0].machine}, logarithmic", (left, under), SIZE))
    if any(libraries):
        parts.append(marker("|", (left + LONGEST - 82, under), 8, LIBRARY))
        parts.append(label("the library", (left + LONGEST - 74, under), SIZE))
    said = "; ".join(f"{name}: {rate:.3g} TFLOP/s" for name, rate in zip(names, rates, strict=True))
    return svg_file(title, said, (left + LONGEST + MARGIN, under + MARGIN + 4), parts)
