"""Show kernels under the measured limits of the machine.

INPUTS are saved runs (latest, an id, a path), raw pages of Nsight Compute as CSV, .ncu-rep files, or a CSV of your own
(name, seconds, flops, bytes, dtype). With none: the newest run. A run needs no counters: its points are a model, from
what its pairs declare in `cost`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.core.roofline import Roofline


PLACE = "Machine 4"  # in perfproof --help


def command(
    inputs: Annotated[list[str] | None, argument("INPUTS", "Runs and files.")] = None,
    output: Annotated[
        str | None, option("-o --output FILE", "x.svg or x.png; both without a suffix. [roofline]")
    ] = None,
    ceilings: Annotated[str | None, option("--ceilings FILE", "Ceilings of another machine.")] = None,
    sheet: Annotated[bool, option("--sheet", "The data sheet's roofs instead of measured ones.")] = False,
    gpu: Annotated[str | None, option("--gpu NAME", "With --sheet: 'NVIDIA H200'.")] = None,
    dtype: Annotated[str, option("--dtype NAME", "Of a run's pairs that name none.")] = "",
    tolerance: Annotated[str, option("--tolerance SHARE", "Above a roof by more is an error.")] = "5%",
    top: Annotated[int, option("--top N", "Kernels with a number in the picture, up to 12.")] = 12,
    strict: Annotated[bool, option("--strict", "Exit with 1 if a point is above a roof.")] = False,
    collect_command: Annotated[
        str | None, option("--collect-command ARCH", "Print the ncu command for sm_90, sm_100, sm_103, sm_120.")
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the document; a picture only with --output.")] = False,
) -> int:
    from perfproof.app.roofline.inputs import Wishes, find_roofs, read_inputs
    from perfproof.app.roofline.kernels import place_kernels

    if collect_command is not None:
        _print_collect_command(collect_command)
        return 0
    share = values.parse_share(tolerance, "--tolerance")
    paths, left_out = _paths(output, json)
    found = read_inputs(inputs or [], artifacts_dir, dtype)
    roofs, machine = find_roofs(found, Wishes(ceilings, sheet, gpu))
    document = place_kernels(found, roofs, machine, share)
    if paths:
        from perfproof.report.roofline.picture import draw

        draw(document, paths, max(1, min(top, 12)))
    _print(document, paths, left_out, json)
    return 1 if strict and any(finding.level == "error" for finding in document.findings) else 0


def _paths(output: str | None, json: bool) -> tuple[list[Path], str]:
    """Where the picture goes, and why it is not there as .png if no suffix asks for one and there is no browser."""
    from perfproof.core.errors import UsageError
    from perfproof.report.browser import NO_BROWSER, find_browser

    if output is None and json:
        return [], ""
    path = Path(output or "roofline")
    if path.suffix in (".svg", ".png"):
        return [path], ""
    if path.suffix:
        raise UsageError(f"--output {output}: a picture is .svg or .png")
    if find_browser() is None:
        return [path.with_suffix(".svg")], f" (no .png: it needs {NO_BROWSER})"
    return [path.with_suffix(".svg"), path.with_suffix(".png")], ""


def _print(document: "Roofline", paths: list[Path], left_out: str, json: bool) -> None:
    from perfproof.cli.width import text_width
    from perfproof.report.roofline.table import render

    if json:
        print(document.model_dump_json(indent=1))
        return
    print(render(document, text_width()), end="")
    if paths:
        print(f"\npicture: {', '.join(str(path) for path in paths)}{left_out}")


def _print_collect_command(name: str) -> None:
    from perfproof.core.errors import UsageError
    from perfproof.profile.roofline_counters import ARCHITECTURES, collect_command

    architecture = ARCHITECTURES.get(name)
    if architecture is None:
        raise UsageError(f"--collect-command {name!r} is unknown: choose {' or '.join(ARCHITECTURES)}")
    print(f"# {architecture.chip}: every kernel runs about {architecture.passes} times")
    print(collect_command(architecture))
