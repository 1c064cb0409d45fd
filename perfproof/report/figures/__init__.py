"""Figures of the HTML report: pure functions from numbers to SVG text. Colours come from the page's style sheet."""
