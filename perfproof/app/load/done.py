"""A finished load test: its result, its folder and its exit code."""

from dataclasses import dataclass
from pathlib import Path

from perfproof.app.load.records import PAGE, RESULT
from perfproof.core.atomic import write_atomic
from perfproof.core.load import LoadResult
from perfproof.load.record import Record
from perfproof.report.load import page as load_page


@dataclass
class Done:
    result: LoadResult
    folder: Path
    records: list[Record]
    failed_shares: tuple[float, float] = (0.0, 0.0)  # of the requests to A and to B, if two were compared

    @property
    def exit_code(self) -> int:
        """4 if the server answered nothing, 130 after Ctrl-C."""
        if self.result.interrupted:
            return 130
        return 0 if any(one.outcome == "ok" for one in self.records) else 4


def keep_result(done: Done) -> str:
    """Write the document and the page of a test beside its records; returns the page."""
    written = load_page.render(done.result, done.records)
    write_atomic(done.folder / RESULT, done.result.model_dump_json(indent=1) + "\n")
    write_atomic(done.folder / PAGE, written)
    return written
