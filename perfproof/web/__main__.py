"""Serve the dashboard on a socket that `perfproof dashboard` has opened."""

import os
import socket
import threading
from contextlib import suppress

import uvicorn

from perfproof.core.dashboard import VARIABLE, from_text
from perfproof.web.catalogue import catalogue_of
from perfproof.web.server import application

SHUTDOWN_SECONDS = 1  # a page that follows a run would keep its connection for ever


def main() -> None:
    settings = from_text(os.environ.pop(VARIABLE))
    threading.Thread(target=catalogue_of(settings.artifacts).refresh, daemon=True).start()  # before the first page asks
    config = uvicorn.Config(
        application(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    with suppress(KeyboardInterrupt), socket.socket(fileno=settings.descriptor) as listening:
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
