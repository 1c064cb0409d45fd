"""Start a server, the dashboard or the engine's: its secret, its socket, and the process that this one becomes."""

import os
import secrets
import socket
import sys

from perfproof.core.dashboard import is_loopback
from perfproof.core.errors import UsageError

SHORTEST = 16  # letters of a secret


def needed_secret(given: str | None, host: str, option: str, spaces: bool = True) -> str | None:
    """As given; without one none on this machine alone, a new one for all other addresses."""
    if given is None:
        return None if is_loopback(host) else secrets.token_urlsafe(24)
    if len(given) < SHORTEST or not given.isascii() or not given.isprintable() or (" " in given and not spaces):
        raise UsageError(f"{option}: write {SHORTEST} letters or more, or leave it out and one is made")
    return given


def listen(host: str, port: int) -> socket.socket:
    """Opened here, so that a port in use is one line and the address can be printed before anything is loaded."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another with --host and --port"
        ) from None
    return listening


def show_in_browser(address: str) -> None:
    """If there is none, the printed address is all there is to say."""
    import webbrowser

    try:
        opened = webbrowser.open(address)
    except (OSError, webbrowser.Error):
        opened = False
    if not opened:
        print("no browser could be opened here; open the address yourself", file=sys.stderr, flush=True)


def become(module: str, settings: dict[str, str], listening: socket.socket, secret: str) -> None:
    """Become the server. Nothing of the command line stays in memory beside it, nor the variable of its secret."""
    listening.set_inheritable(True)
    environment = os.environ | settings
    environment.pop(secret, None)
    os.execve(sys.executable, [sys.executable, "-m", module], environment)
