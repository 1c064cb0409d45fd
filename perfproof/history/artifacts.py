"""The folder that runs are kept in."""

from pathlib import Path

DEFAULT, IGNORE = "artifacts", ".gitignore"


def make_artifacts(folder: Path | str) -> None:
    """Make the folder, or one below it. Git ignores a new `artifacts`; a name of your own may be meant for Git."""
    path = Path(folder)
    new = [one for one in (path, *path.parents) if one.name == DEFAULT and not one.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for one in new:
        (one / IGNORE).write_text("*\n")
