"""Profile each target of a run after all were measured, so that no profiler disturbs a measurement; link the two."""

from collections.abc import Sequence
from pathlib import Path

from perfproof.app.profile import Wishes, profile_chosen
from perfproof.core.documents import Run
from perfproof.core.errors import PerfproofError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.history.folders import RunFolder
from perfproof.pairs.pair import Broken, Pair


def profile_measured(run: Run, pairs: Sequence[Pair | Broken], facts: Facts, options: RunOptions, preset: str) -> None:
    """Profile each target that has a result. A profile that fails says why, and does not change the result."""
    known = {pair.name: pair for pair in pairs if isinstance(pair, Pair)}
    folder = RunFolder(Path(options.artifacts_dir) / run.run)
    for result in run.targets if run.state == "finished" else ():
        pair = known.get(result.target)
        if pair is None or result.status != "ok":
            continue
        wishes = Wishes(
            preset=preset,
            variants=tuple(result.variants),
            timeout=options.timeout,
            fast=options.fast,
            device=options.device,
            threads=options.threads,
            artifacts_dir=options.artifacts_dir,
            sizes=options.sizes.get(pair.name, {}),
            run=run.run,
        )
        try:
            record, own = profile_chosen(pair, facts, wishes, lambda tool, plan: None)
            failed = next((one for one in record.captures if one.status != "ok"), None)
            kept = "/".join(["profiles", own.name, *record.captures[-1].main_files[:1]])
            result.profile = f"unknown: {failed.variant}: {failed.why}" if failed else kept
        except PerfproofError as error:
            result.profile = f"unknown: {error}"
        folder.save(run)
