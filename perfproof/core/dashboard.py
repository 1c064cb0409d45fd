"""What a dashboard is started with, handed over to its process in one environment variable."""

import ipaddress
import json
from dataclasses import asdict, dataclass
from pathlib import Path

VARIABLE = "PERFPROOF_DASHBOARD"  # not an argument: a token would be in the list of processes


@dataclass(frozen=True)
class Settings:
    artifacts: Path
    host: str = "127.0.0.1"
    token: str | None = None
    names: tuple[str, ...] = ()  # further names that browsers may call it by
    store: str | None = None  # of the history; None is beside the runs
    descriptor: int = -1  # of the listening socket

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def to_text(settings: Settings) -> str:
    return json.dumps(asdict(settings) | {"artifacts": str(settings.artifacts)})


def from_text(text: str) -> Settings:
    found = json.loads(text)
    return Settings(**found | {"artifacts": Path(found["artifacts"]), "names": tuple(found["names"])})
