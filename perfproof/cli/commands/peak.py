"""Measure what this machine can do: memory, compute, links, disk.

The measured ceilings are kept for this machine, and later runs state their results as shares of them. --only takes
names, their beginnings (gemm, memory/copy) and globs (gemm/*/burst), repeated or with commas.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.output import check_folders
from perfproof.cli.values import option

if TYPE_CHECKING:
    from perfproof.core.ceilings import Ceilings
    from perfproof.peak.measure import Progress


PLACE = "Machine 3"  # in perfproof --help


def command(
    quick: Annotated[bool, option("--quick", "Repeat less often; takes under a minute.")] = False,
    device: values.Device = None,
    only: Annotated[
        list[str] | None,
        option("--only NAME", "Measure only these: gemm, memory/copy, a glob (repeatable, or with commas)."),
    ] = None,
    json: Annotated[bool, option("--json", "Print the result as JSON, and nothing else.")] = False,
    save: Annotated[bool, option("--save/--no-save", "Keep the ceilings for this machine, for later runs.")] = True,
    output: Annotated[Path | None, option("-o --output FILE", "Also write the result to FILE, as JSON.")] = None,
    picture: Annotated[Path | None, option("--picture FILE", "Also draw the bandwidths to FILE, as SVG.")] = None,
    shared: values.Shared = False,
) -> int:
    from perfproof.machine.facts import read_facts
    from perfproof.machine.preflight import preflight
    from perfproof.machine.snapshot import snapshot
    from perfproof.peak.measure import chosen_probes, measure

    names = tuple(part.strip() for one in only or [] for part in one.split(",") if part.strip())
    where = read_facts(device).device
    chosen_probes(where, names)  # refuses an unknown name before anything is measured
    check_folders(output, picture)
    seen = snapshot(where)
    warnings = preflight(seen, shared)
    peak = measure(seen, quick, names, ("perfproof", *sys.argv[1:]), notify=_tell)
    written = _write(peak.ceilings, save, output, picture)
    if json:
        sys.stdout.write(_text(peak.ceilings))
    else:
        _print_table(peak.ceilings, [f"{one.code} {one.text}" for one in warnings], written)
    return 4 if peak.broken else 1 if peak.refused else 0


def _tell(news: "Progress") -> None:
    if sys.stderr.isatty():
        from perfproof.peak.table import quantity

        found = news.found
        what = news.purpose if found is None else f"  {found.name} {quantity(found.value, found.unit)}"
        print(f"[{news.number}/{news.total}] {what}", file=sys.stderr, flush=True)


def _write(found: "Ceilings", save: bool, output: Path | None, picture: Path | None) -> list[str]:
    """Where things were put, as lines."""
    from perfproof.core.atomic import write_atomic
    from perfproof.core.ceilings import UNSTEADY
    from perfproof.machine import ceilings
    from perfproof.peak.merging import merged

    lines = []
    if save and found.ceilings:
        unsteady = [one.name for one in found.ceilings if one.finding == UNSTEADY]
        kept = merged(ceilings.load(found.fingerprint, found.device), found)
        if kept.ceilings:
            lines.append(f"saved in {ceilings.save(kept)}")
        if unsteady:
            lines.append(f"not saved, too noisy: {', '.join(unsteady)}; repeat `perfproof peak` on an idle machine")
    if output is not None:
        write_atomic(output, _text(found))
        lines.append(f"wrote {output}")
    if picture is not None:
        from perfproof.peak.picture import svg

        write_atomic(picture, svg(found))
        lines.append(f"drew {picture}")
    return lines


def _print_table(found: "Ceilings", warnings: list[str], written: list[str]) -> None:
    from perfproof.cli.width import text_width
    from perfproof.peak.table import render

    print(render(found, text_width()))
    for line in [*warnings, *written]:
        print(line)
    if found.device != "cpu":
        print("next: perfproof peak --device cpu measures the host's memory, caches, disk and loopback")


def _text(found: "Ceilings") -> str:
    return found.model_dump_json(indent=2) + "\n"
