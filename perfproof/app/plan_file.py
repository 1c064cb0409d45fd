"""Read a plan from YAML or JSON, and turn its entries into commands."""

import hashlib
from pathlib import Path

from perfproof.core.durations import parse_positive_duration
from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.core.plan import Entry, Plan

LARGEST = 1_000_000  # bytes


def read_plan(path: Path) -> tuple[Plan, str]:
    """The plan and its hash; durations and names are checked before anything is measured."""
    import yaml
    from pydantic import ValidationError

    try:
        content = path.read_bytes()
        if len(content) > LARGEST:
            raise DocumentError(f"{path}: a plan of more than {LARGEST:,} bytes is not read")
        plan = Plan.model_validate(yaml.safe_load(content.decode()))
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise DocumentError(f"{path}: neither YAML nor JSON: {' '.join(str(error).split())[:200]}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(one) for one in first["loc"]) or "the plan"
        raise DocumentError(f"{path}: {where}: {first['msg']}") from None
    for where, text in _durations(plan):
        parse_positive_duration(text, f"{path}: {where}")
    return plan, hashlib.sha256(content).hexdigest()


def chosen_entries(plan: Plan, tags: list[str]) -> list[Entry]:
    """All of them; with tags those that have one of them."""
    if not tags:
        return plan.entries
    found = [entry for entry in plan.entries if set(tags) & {*entry.tags, *plan.tags}]
    if not found:
        known = sorted({tag for entry in plan.entries for tag in (*entry.tags, *plan.tags)})
        raise NothingMatched(f"no entry has the tag {', '.join(tags)}; there are {', '.join(known) or 'none'}")
    return found


def command_of(entry: Entry, artifacts_dir: str) -> list[str]:
    """The words after `perfproof`."""
    words = ["verify" if entry.gate == "expectations" else "run", *entry.targets]
    for option in ("effort", "budget", "timeout", "device"):
        if (value := getattr(entry, option)) is not None:
            words += [f"--{option}", value]
    return [*words, *(["--fast"] if entry.fast else []), "--artifacts-dir", artifacts_dir, "--json"]


def _durations(plan: Plan) -> list[tuple[str, str]]:
    found = [("budget", plan.budget)]
    for entry in plan.entries:
        found += [(f"{entry.name}.budget", entry.budget), (f"{entry.name}.timeout", entry.timeout)]
    return [(where, text) for where, text in found if text is not None]
