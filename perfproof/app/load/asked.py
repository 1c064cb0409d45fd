"""What the command line of `perfproof load` was given."""

from collections.abc import Callable
from dataclasses import dataclass, field

from perfproof.core.load import SloTerm
from perfproof.load.arrivals import Arrivals
from perfproof.load.driver import Limits

Say = Callable[[str], None]  # a line about how far the test is


@dataclass(frozen=True)
class Asked:
    """What the command line was given."""

    url: str
    workload: str = "chat"
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    arrivals: Arrivals | None = None
    users: int | None = None
    think: float = 0.0
    trace: str | None = None
    speed: float = 1.0
    seconds: float = 30.0
    limits: Limits = field(default_factory=Limits)
    model: str | None = None
    key_variable: str | None = None
    extra: dict[str, object] = field(default_factory=dict)
    seed: int = 1
    salt: str | None = None
    price: float | None = None  # dollars per hour of the server
    slo: tuple[SloTerm, ...] = ()
    against: str | None = None
    artifacts_dir: str = "artifacts"
