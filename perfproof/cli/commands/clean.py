"""Remove old runs and profiles.

Only folders that perfproof made go: never a link, a run in progress, or anything else that lies there.
"""

from typing import Annotated

import typer

from perfproof.cli import values

PLACE = "Keep 4"  # in perfproof --help


def command(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, remove nothing.")] = False,
    older_than: Annotated[str | None, typer.Option("--older-than", metavar="TIME", help="Only older: 7d.")] = None,
    keep: Annotated[int, typer.Option("--keep", metavar="N", min=0, help="Keep the newest N runs and profiles.")] = 0,
    artifacts_dir: values.ArtifactsDir = "artifacts",
    json: Annotated[bool, typer.Option("--json", help="Print what went as JSON, and nothing else.")] = False,
) -> int:
    from json import dumps

    from perfproof.core.units import binary_bytes
    from perfproof.history.cleaning import plan_clean, remove

    age = None if older_than is None else values.parse_duration(older_than, "--older-than")
    found = plan_clean(artifacts_dir, keep, age)
    if not json:
        for one in found:
            print(f"{binary_bytes(one.bytes):>10}  {one.path}{'  (empty)' if one.what == 'empty' else ''}")
    if not dry_run:
        remove(found)
    if json:
        rows = [{"path": str(one.path), "what": one.what, "bytes": one.bytes} for one in found]
        print(dumps({"removed": not dry_run, "bytes": sum(one.bytes for one in found), "folders": rows}, indent=1))
        return 0
    folders = "1 folder" if len(found) == 1 else f"{len(found)} folders"
    print(f"{'would remove' if dry_run else 'removed'} {folders}, {binary_bytes(sum(one.bytes for one in found))}")
    return 0
