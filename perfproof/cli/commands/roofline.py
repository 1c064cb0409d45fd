"""Show kernels against the measured limits of the machine.

INPUTS are saved runs (latest, an id, a path), raw pages of Nsight Compute as CSV, .ncu-rep files, or a CSV of your own
(name, seconds, flops, bytes, dtype). Default: the newest run. A run needs no counters: its points are computed
from what its pairs declare in `cost`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.values import argument, option

if TYPE_CHECKING:
    from perfproof.core.roofline import Roofline


PLACE = "Machine 4"  # in perfproof --help


def command(
    inputs: Annotated[
        list[str] | None,
        argument("INPUTS", "Saved runs, profiler files or a CSV of your own. [default: the newest run]"),
    ] = None,
    output: Annotated[
        str | None,
        option("-o --output FILE", "Picture to write: x.svg or x.png; without a suffix, both. [default: roofline]"),
    ] = None,
    ceilings: Annotated[
        str | None, option("--ceilings FILE", "Measured ceilings of another machine, written by perfproof peak.")
    ] = None,
    sheet: Annotated[
        bool, option("--sheet", "Use the limits of the GPU's data sheet instead of measured ones.")
    ] = False,
    gpu: Annotated[
        str | None, option("--gpu NAME", "GPU for --sheet, if it cannot be detected: 'NVIDIA H200'.")
    ] = None,
    dtype: Annotated[str, option("--dtype NAME", "Data type to assume for those pairs of a run that name none.")] = "",
    tolerance: Annotated[
        str, option("--tolerance SHARE", "Report an error if a point lies above its limit by more than this share.")
    ] = "5%",
    top: Annotated[int, option("--top N", "Number of kernels labelled in the picture, up to 12.")] = 12,
    strict: Annotated[
        bool, option("--strict", "Exit with 1 if a point lies above a limit (by more than --tolerance).")
    ] = False,
    collect_command: Annotated[
        str | None,
        option(
            "--collect-command ARCH",
            "Print the ncu command that collects the counters on sm_90, sm_100, sm_103 or sm_120.",
        ),
    ] = None,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print the result as JSON; write a picture only with --output.")] = False,
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
