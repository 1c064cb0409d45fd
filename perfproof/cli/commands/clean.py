"""Remove old runs, profiles and triage bundles.

\b
perfproof clean                    removes nothing; prints what each rule would free
perfproof clean --keep 20          all but the newest 20 runs, 20 profiles and 20 bundles
perfproof clean --older-than 30d   everything older than 30 days
perfproof clean --all              every run, profile and bundle

Runs that are recorded as expectations stay, unless --all removes them. The index of the history forgets what is gone.
Only what perfproof made is removed: never a link, a run in progress, or any other file in the folder.
"""

import sys
from typing import TYPE_CHECKING, Annotated

from perfproof.cli import values
from perfproof.cli.values import option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfproof.history.cleaning import Removable

PLACE = "Keep 4"  # in perfproof --help
NO_RULE = 2
EXAMPLES = (("--keep 10", 10, None), ("--older-than 30d", 0, 30 * 86400.0), ("--all", 0, None))  # rule, keep, seconds


def command(
    dry_run: Annotated[bool, option("--dry-run", "Print what would be removed; remove nothing.")] = False,
    older_than: Annotated[
        str | None, option("--older-than TIME", "Remove only what is older than this: 7d, 12h.")
    ] = None,
    keep: Annotated[int | None, option("--keep N", "Keep the newest N runs, N profiles and N bundles.", min=0)] = None,
    everything: Annotated[bool, option("--all", "Remove every run, profile and bundle.")] = False,
    expectations_dir: Annotated[
        str, option("--expectations-dir DIR", "Folder of the expectations whose recorded runs stay.")
    ] = "expectations",
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, option("--json", "Print what was removed as JSON, and nothing else.")] = False,
) -> int:
    from perfproof.app.index import forget_removed
    from perfproof.core.errors import UsageError
    from perfproof.history.cleaning import plan_clean, recorded_runs, remove

    if everything and (keep or older_than is not None):
        raise UsageError("--all removes everything: leave it out to keep something with --keep or --older-than")
    age = None if older_than is None else values.parse_duration(older_than, "--older-than")
    has_rule = everything or keep is not None or older_than is not None
    recorded = recorded_runs(expectations_dir)
    found = plan_clean(artifacts_dir, keep or 0, age)
    of_record = [one for one in found if one.path.name in recorded]
    found = found if everything else [one for one in found if one not in of_record]
    removing = has_rule and not dry_run
    if removing:
        remove(found)
        if why := forget_removed(artifacts_dir, [one.path.name for one in found]):
            print(f"perfproof: the folders are gone, but not from the history: {why}", file=sys.stderr)
    if has_rule and of_record:
        print(f"perfproof: {_recorded(of_record, expectations_dir, everything, removing)}", file=sys.stderr)
    if json:
        _print_json(found, removing)
    elif has_rule:
        _print_folders(found, removing)
    else:
        _print_rules(artifacts_dir, recorded)
    return NO_RULE if found and not (has_rule or dry_run) else 0


def _recorded(of_record: "Sequence[Removable]", expectations_dir: str, everything: bool, removing: bool) -> str:
    """What happens to runs that expectations were recorded from."""
    from perfproof.core.units import count

    runs = f"{count(len(of_record), 'run')} recorded in {expectations_dir}"
    if not everything:
        return f"kept {runs}; --all removes recorded runs too"
    return f"{'removed' if removing else 'would remove'} {runs}; the expectations themselves stay in their files"


def _print_folders(found: "Sequence[Removable]", removed: bool) -> None:
    from perfproof.core.units import binary_bytes

    for one in found:
        print(f"{binary_bytes(one.bytes):>10}  {one.path}{'  (empty)' if one.what == 'empty' else ''}")
    print(f"{'removed' if removed else 'would remove'} {_amount(found)}")


def _print_rules(artifacts_dir: str, recorded: set[str]) -> None:
    """What each rule would free, so that one can be chosen."""
    from perfproof.cli.width import text_width
    from perfproof.history.cleaning import plan_clean
    from perfproof.report.text import listed

    print(f"nothing was removed from {artifacts_dir}: say what may go")
    found = []
    for rule, keep, age in EXAMPLES:
        planned = plan_clean(artifacts_dir, keep, age)
        going = planned if rule == "--all" else [one for one in planned if one.path.name not in recorded]
        found.append((rule, f"would remove {_amount(going)}"))
    print("\n".join(listed([(f"perfproof clean {rule}", what) for rule, what in found], text_width())))


def _amount(found: "Sequence[Removable]") -> str:
    from perfproof.core.units import binary_bytes

    bundles = sum(one.what == "bundle" for one in found)
    folders = "1 folder" if len(found) - bundles == 1 else f"{len(found) - bundles} folders"
    also = f", {bundles} triage {'bundle' if bundles == 1 else 'bundles'}" if bundles else ""
    return f"{folders}{also}, {binary_bytes(sum(one.bytes for one in found))}"


def _print_json(found: "Sequence[Removable]", removed: bool) -> None:
    from json import dumps

    rows = [{"path": str(one.path), "what": one.what, "bytes": one.bytes} for one in found]
    print(dumps({"removed": removed, "bytes": sum(one.bytes for one in found), "folders": rows}, indent=1))
