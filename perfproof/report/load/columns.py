"""Load tests beside each other, one column each, and what their names mean where that differs.

They were not measured in turns, so nothing is judged: no ratio, no verdict. `perfproof load --against` does that.
"""

from collections.abc import Sequence

from perfproof.core.load import LoadResult, Window
from perfproof.core.units import seconds

MEASURES = ("TTFT", "TPOT", "NTPOT", "inter-token time", "latency", "client wait")
SHOWN = ("p50", "p99")
WIDTH = 24


def render(results: Sequence[LoadResult], names: Sequence[str]) -> str:
    rows: list[tuple[str, list[str]]] = [
        ("", [name[-WIDTH + 2 :] for name in names]),
        ("tool", [one.tool for one in results]),
        ("model", [one.model[: WIDTH - 2] for one in results]),
        ("req/s", [f"{_window(one).completed_per_second:.4g}" for one in results]),
        ("output tokens/s", [f"{_window(one).output_tokens_per_second:.4g}" for one in results]),
        ("answered", [str(_window(one).outcomes.get("ok", 0)) for one in results]),
        ("not answered", [str(_not_ok(_window(one))) for one in results]),
    ]
    for measure in MEASURES:
        for quantile in SHOWN:
            rows.append((f"{measure} {quantile}", [_value(_window(one), measure, quantile) for one in results]))
    lines = [f"{name:22}" + "".join(f"{cell:>{WIDTH}}" for cell in cells) for name, cells in rows]
    lines += ["", "not measured in turns: differences are not judged; perfproof load URL --against URL does that"]
    return "\n".join([*lines, *_definitions(results), *_notes(results)]) + "\n"


def _window(result: LoadResult) -> Window:
    return result.steady or result.whole


def _not_ok(window: Window) -> int:
    return sum(count for word, count in window.outcomes.items() if word != "ok")


def _value(window: Window, measure: str, quantile: str) -> str:
    found = window.figure(measure)
    if found is None or quantile not in found.quantiles:
        return "–"
    one = found.quantiles[quantile]
    return seconds(one.value) + ("*" if one.few else "")


def _definitions(results: Sequence[LoadResult]) -> list[str]:
    lines = ["* too few samples for this percentile", "", "definitions"]
    for measure in MEASURES:
        said = {one.tool: one.definitions[measure] for one in results if measure in one.definitions}
        lines += [f"  {measure}, {tool}: {text}" for tool, text in said.items()]
    return lines


def _notes(results: Sequence[LoadResult]) -> list[str]:
    said = dict.fromkeys(f"  {one.tool}: {note}" for one in results for note in one.notes)
    return ["notes", *said] if said else []
