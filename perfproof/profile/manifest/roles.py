"""Groups, chapters, tags and presets: reading roles.toml and chapters.toml."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.counters import counters

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Group:
    name: str
    about: str
    roles: Mapping[str, Mapping[str, tuple[str, ...]]]  # role -> chip -> metrics


@dataclass(frozen=True)
class Wish:
    """What a chapter, a tag or a preset asks for."""

    name: str  # ch07
    about: str
    metrics: tuple[str, ...] = ()  # groups and roles
    nsys: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""


@cache
def groups() -> dict[str, Group]:
    listed = tomllib.loads((FOLDER / "roles.toml").read_text())
    return {
        name: Group(name, one["about"], {role: _by_chip(value) for role, value in one["roles"].items()})
        for name, one in listed.items()
    }


def _by_chip(value: Any) -> dict[str, tuple[str, ...]]:
    """A table as it is; plain names for the chips that have them. ncu's own names are on every chip."""
    if isinstance(value, dict):
        return {chip: _names(names) for chip, names in value.items()}
    listed = [counters().get(name.partition(".")[0]) for name in _names(value)]
    return {chip: _names(value) for chip in chips() if all(one is None or chip in one.chips for one in listed)}


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@cache
def wishes(kind: str) -> dict[str, Wish]:
    """`chapters`, `tags` or `presets`."""
    listed = tomllib.loads((FOLDER / "chapters.toml").read_text())[kind]
    return {name: _wish(name, one) for name, one in listed.items()}


def _wish(name: str, one: dict[str, Any]) -> Wish:
    lists = {key: tuple(one.get(key, ())) for key in ("metrics", "nsys", "options", "tags")}
    return Wish(name, one.get("about", one.get("title", "")), note=one.get("note", ""), **lists)


def metrics_of(references: Iterable[str], chip: str) -> list[str]:
    """`GROUP` and `GROUP.role` as the chip's metrics, each once; a role that the chip has not gives none."""
    found: dict[str, None] = {}
    for reference in references:
        group, _, role = reference.partition(".")
        roles = groups()[group].roles
        for name in [role] if role else list(roles):
            found.update(dict.fromkeys(roles[name].get(chip, ())))
    return list(found)


def roles_of(metric: str) -> list[str]:
    """The roles that a metric plays on any chip."""
    return [
        f"{group.name}.{role}"
        for group in groups().values()
        for role, by_chip in group.roles.items()
        if any(metric in names for names in by_chip.values())
    ]
