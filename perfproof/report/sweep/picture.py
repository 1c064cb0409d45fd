"""A sweep as a file: the figure of the report's page, with a title and the page's light colours inside."""

from perfproof.core.documents import Run
from perfproof.report.figures import svg as kit
from perfproof.report.figures.svg_file import label, svg_file
from perfproof.report.formats.html import asset
from perfproof.report.html.pictures import sweep_figure

MARGIN, HEAD = 16.0, 44.0


def svg(run: Run) -> str:
    """The text of the file, empty if no point has a ratio."""
    figure = sweep_figure(run)
    if figure is None:
        return ""
    title = f"{run.options['sweep']['target']} on {run.machine.get('kind', 'unknown machine')}"
    width, height = (float(one) for one in figure.svg.partition('viewBox="0 0 ')[2].partition('"')[0].split())
    place = kit.tag("g", figure.svg, transform=f"translate({MARGIN:g} {HEAD:g})")
    inner = place.replace("<svg ", f'<svg width="{width:g}" height="{height:g}" ', 1)
    size = (width + 2 * MARGIN, height + HEAD + MARGIN)
    return svg_file(title, figure.caption, size, [label(title, (MARGIN, 24), 16, bold=True), inner], _style())


def _style() -> str:
    """The rules for figures in the report's style sheet, with its light colours."""
    sheet = asset("report.css")
    colours = sheet[sheet.index("--paper") : sheet.index("}")]
    rules = [line.replace("svg ", ".figure ") for line in sheet.splitlines() if line.startswith("svg ")]
    return "\n".join([f".figure {{ {colours.strip()} }}", *rules])
