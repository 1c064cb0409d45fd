"""What a model says of other settings, as text: the model with its residuals, and what was measured beside it."""

from collections.abc import Callable, Sequence

from perfproof.core.load import Window
from perfproof.core.units import percent, seconds
from perfproof.core.what_if import WhatIf
from perfproof.report.text import aligned

POOR_FIT = 0.2  # of a step's time: a model that is off by more in half of the steps does not fit
SHOWN = ("TTFT", "TPOT", "latency")
NONE = "–"


def render(said: WhatIf) -> str:
    lines = [*(["", f"what if: {asked_for(said)}", ""] if said.settings else [""]), *figure_lines(said)]
    lines += ["", said.verdict] if said.verdict else []
    lines += [f"  note     {note}" for note in said.notes]
    return "\n".join([*model_lines(said), *lines]) + "\n"


def asked_for(said: WhatIf) -> str:
    return ", ".join(f"{name} {value}" for name, value in said.settings.items())


def model_lines(said: WhatIf) -> list[str]:
    step = said.step
    late = f", {percent(step.late, 0)} of it before the tokens of the step before are shown" if step.late else ""
    ahead = ", and a step is planned while the one before it runs" if said.ahead else ""
    poor = (
        f"the model does not fit: half of the steps are off by more than {percent(POOR_FIT, 0)}, so do not use the "
        "figures below. Test on an idle host, name --measured-chunk, or the server works in another way"
    )
    return [
        *([poor] if said.median_error > POOR_FIT else []),
        f"a model of {said.test}, not a measurement: confirm what matters with --confirm SERVER",
        f"  step = {seconds(step.base)} + {seconds(step.sequence)} per answer + {seconds(step.context)} per context "
        f"token; prompts in it: + {seconds(step.mixed)} + {seconds(step.prefill)} per token{late}",
        f"  a request is outside of the engine for {seconds(said.delay)}{ahead}",
        f"  fitted to {said.steps} steps; off by {percent(said.median_error)} (p50), {percent(said.p90_error)} (p90)"
        f", {percent(said.sum_error)} for many together",
        *_range_lines(said),
    ]


def _range_lines(said: WhatIf) -> list[str]:
    if said.if_longer is None:
        return ["  no range of the figures: many steps together are off by too much"]
    return [f"  the range of a figure: what it is if all steps are longer or shorter by {percent(said.step_range)}"]


def columns(said: WhatIf) -> list[tuple[str, Window]]:
    found = [("measured", said.measured), ("model of it", said.model_of_it), ("what if", said.what_if)]
    return found + ([("confirmed", said.confirmed)] if said.confirmed else [])


def figure_rows(said: WhatIf) -> list[tuple[str, ...]]:
    """A head, then a row per figure; if a test confirmed it, by how much the model is off."""
    windows = columns(said)
    ends = [one for one in (said.what_if, said.if_shorter, said.if_longer) if one] if said.if_longer else []
    head = [name for name, _ in windows]
    head[3:3] = ["range"] if ends else []
    rows = [("", *head, *(["model off by"] if said.confirmed else []))]
    for name in SHOWN:
        for share in ("p50", "p99"):
            found = [one.figure(name) for _, one in windows]
            values = [None if one is None else one.quantiles[share].value for one in found]
            stars = ["*" if one is not None and one.quantiles[share].few else "" for one in found]
            cells = [NONE if one is None else f"{seconds(one)}{star}" for one, star in zip(values, stars, strict=True)]
            figures = [one.figure(name) for one in ends]
            cells[3:3] = _range([None if one is None else one.quantiles[share].value for one in figures], seconds)
            rows.append((f"{name} {share}", *cells, *_off(said, values)))
    rates = [one.output_tokens_per_second for _, one in windows]
    cells = [f"{one:.4g}" for one in rates]
    cells[3:3] = _range([one.output_tokens_per_second for one in ends], "{:.4g}".format)
    rows.append(("tokens/s", *cells, *_off(said, rates)))
    return rows


def _range(values: "Sequence[float | None]", shown: Callable[[float], str]) -> list[str]:
    """Of a figure as the model has it, and if steps are shorter and longer; nothing if there is no range."""
    known = [one for one in values if one is not None]
    return ([f"{shown(min(known))} to {shown(max(known))}"] if len(known) == len(values) else [NONE]) if values else []


def _off(said: WhatIf, values: "list[float] | list[float | None]") -> list[str]:
    """The model's figure against the measured one."""
    if said.confirmed is None:
        return []
    model, measured = values[2], values[3]
    return [f"{model / measured - 1:+.1%}" if model and measured else NONE]


def figure_lines(said: WhatIf) -> list[str]:
    rows = figure_rows(said)
    lines = aligned(rows, range(1, len(rows[0])))
    stars = any("*" in cell for row in rows for cell in row)
    return [f"  {line}" for line in lines] + (["  * fewer than ten samples lie beyond it"] if stars else [])
