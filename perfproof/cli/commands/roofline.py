"""Show kernels under the measured limits of the machine.

INPUTS are saved runs (latest, an id, a path), raw pages of Nsight Compute as CSV, .ncu-rep files, or a CSV of your own
(name, seconds, flops, bytes, dtype). With none: the newest run. A run needs no counters: its points are a model, from
what its pairs declare in `cost`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfproof.cli import values

if TYPE_CHECKING:
    from perfproof.app.roofline_inputs import Inputs
    from perfproof.core.roofline import Roof, Roofline


PLACE = "Machine 4"  # in perfproof --help


def command(
    inputs: Annotated[list[str] | None, typer.Argument(metavar="INPUTS", help="Runs and files.")] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="x.svg or x.png; both without a suffix. [roofline]"),
    ] = None,
    ceilings: Annotated[
        str | None, typer.Option("--ceilings", metavar="FILE", help="Ceilings of another machine.")
    ] = None,
    sheet: Annotated[bool, typer.Option("--sheet", help="The data sheet's roofs instead of measured ones.")] = False,
    gpu: Annotated[str | None, typer.Option("--gpu", metavar="NAME", help="With --sheet: 'NVIDIA H200'.")] = None,
    dtype: Annotated[str, typer.Option("--dtype", metavar="NAME", help="Of a run's pairs that name none.")] = "",
    tolerance: Annotated[
        str, typer.Option("--tolerance", metavar="SHARE", help="Above a roof by more is an error.")
    ] = "5%",
    top: Annotated[
        int, typer.Option("--top", metavar="N", help="Kernels with a number in the picture, up to 12.")
    ] = 12,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a point is above a roof.")] = False,
    collect_command: Annotated[
        str | None,
        typer.Option(
            "--collect-command", metavar="ARCH", help="Print the ncu command for sm_90, sm_100, sm_103, sm_120."
        ),
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, typer.Option("--json", help="Print the document; a picture only with --output.")] = False,
) -> int:
    from perfproof.app.roofline_inputs import Wishes, find_roofs, read_inputs

    if collect_command is not None:
        _print_collect_command(collect_command)
        return 0
    share = values.parse_share(tolerance, "--tolerance")
    paths = _paths(output, json)
    found = read_inputs(inputs or [], artifacts_dir, dtype)
    roofs, machine = find_roofs(found, Wishes(ceilings, sheet, gpu))
    document = _document(found, roofs, machine, share)
    if paths:
        from perfproof.report.roofline_picture import draw

        draw(document, paths, max(1, min(top, 12)))
    _print(document, paths, json)
    return 1 if strict and any(finding.level == "error" for finding in document.findings) else 0


def _document(found: "Inputs", roofs: "list[Roof]", machine: str, tolerance: float) -> "Roofline":
    """Place the kernels, judge the dual roofline, and say what is missing."""
    import sys
    from datetime import UTC, datetime

    from perfproof import __version__
    from perfproof.calc import dual_roofline, roofline
    from perfproof.core.errors import NothingMatched
    from perfproof.core.roofline import Finding, Roofline

    kernels, findings = roofline.place(found.kernels, roofs, tolerance)
    if not kernels:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(found.not_shown.items())[:3])
        raise NothingMatched(f"{', '.join(found.names)}: no kernel to place{': ' if reasons else ''}{reasons}")
    return Roofline(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        command=["perfproof", *sys.argv[1:]],
        inputs=found.names,
        machine=machine,
        tolerance=tolerance,
        roofs=roofs,
        kernels=[dual_roofline.judge(kernel, roofs) for kernel in kernels],
        not_shown=found.not_shown,
        findings=[*findings, *(Finding(level="warning", text=text) for text in found.warnings)],
    )


def _paths(output: str | None, json: bool) -> list[Path]:
    """Where the picture goes."""
    from perfproof.core.errors import UsageError

    if output is None and json:
        return []
    path = Path(output or "roofline")
    if path.suffix in (".svg", ".png"):
        return [path]
    if path.suffix:
        raise UsageError(f"--output {output}: a picture is .svg or .png")
    return [path.with_suffix(".svg"), path.with_suffix(".png")]


def _print(document: "Roofline", paths: list[Path], json: bool) -> None:
    from perfproof.report.roofline_table import render

    if json:
        print(document.model_dump_json(indent=1))
        return
    print(render(document), end="")
    if paths:
        print(f"\npicture: {', '.join(str(path) for path in paths)}")


def _print_collect_command(name: str) -> None:
    from perfproof.core.errors import UsageError
    from perfproof.profile.roofline_counters import ARCHITECTURES, collect_command

    architecture = ARCHITECTURES.get(name)
    if architecture is None:
        raise UsageError(f"--collect-command {name!r} is unknown: choose {' or '.join(ARCHITECTURES)}")
    print(f"# {architecture.chip}: every kernel runs about {architecture.passes} times")
    print(collect_command(architecture))
