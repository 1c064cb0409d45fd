"""How wide the text is that commands print."""

import shutil

USUAL, LEAST = 100, 60


def text_width() -> int:
    """COLUMNS if it is set, else the width of the terminal, else 100; at least 60."""
    return max(LEAST, shutil.get_terminal_size((USUAL, 24)).columns)
