"""The two pictures of the README, from one saved run: what a terminal shows, and the top of its report page.

    python benchmarks/readme_pictures.py latest                       a run in artifacts/
    python benchmarks/readme_pictures.py RUN --artifacts-dir DIR

They are written to docs/pictures/. The page needs Chromium, Chrome or Edge.
"""

import argparse
import re
from html import escape
from pathlib import Path

from perfproof.history.finding import find_run
from perfproof.history.folders import load_run
from perfproof.report.browser import take_picture
from perfproof.report.figures.svg import tag
from perfproof.report.formats import html, table

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
COLUMNS, LETTER, LINE, EDGE = 92, 7.83, 19.0, 18.0  # pixels of a monospaced letter of 13 px
PAGE = (1000, 650)
COLOURS = {"32": "#7ee787", "31": "#ff7b72", "33": "#e3b341", "36": "#79c0ff", "2": "#8b949e", "1": "#ffffff"}
INK, GROUND = "#d0d7de", "#0d1117"
STYLED = re.compile(r"\x1b\[([0-9;]*)m")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--artifacts-dir", default="artifacts")
    given = parser.parse_args()
    folder = find_run(given.artifacts_dir, given.run)
    run = load_run(folder)
    command = " ".join(run.command)
    shown = terminal(command, table.render(run, COLUMNS, colour=True))
    (PICTURES / "terminal.svg").write_text(shown, encoding="utf-8")
    (PICTURES / "report.png").write_bytes(take_picture(html.render(run, folder), PAGE, "page.html", 1))


def terminal(command: str, said: str) -> str:
    """An SVG file of the coloured text that a command printed."""
    lines = [f"\x1b[1m$ {command}\x1b[0m", *said.rstrip().splitlines()]
    height = 2 * EDGE + LINE * len(lines)
    texts = [_line(text, EDGE + LINE * (at + 0.75)) for at, text in enumerate(lines)]
    width = 2 * EDGE + LETTER * COLUMNS
    return tag(
        "svg",
        tag("title", escape(f"What {command} prints")),
        tag("desc", escape(STYLED.sub("", said))),
        tag("rect", width=width, height=height, rx=8, fill=GROUND),
        *texts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        font_family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace",
        font_size=13,
        fill=INK,
    )


def _line(text: str, y: float) -> str:
    """Every stretch of one colour at its own column: a font that is a little wider moves nothing."""
    parts, column = [], 0
    codes, pieces = ["", *STYLED.findall(text)], STYLED.split(text)[::2]
    for code, piece in zip(codes, pieces, strict=True):
        if piece.strip():
            colour = next((COLOURS[one] for one in code.split(";") if one in COLOURS and one != "1"), None)
            weight = "bold" if "1" in code.split(";") else None
            place = {"x": EDGE + LETTER * column, "y": y, "textLength": LETTER * len(piece)}
            parts.append(tag("text", escape(piece), **place, fill=colour, font_weight=weight, style="white-space: pre"))
        column += len(piece)
    return "".join(parts)


if __name__ == "__main__":
    main()
