"""Loopback: ranks, the load test and the local pages talk to themselves over it."""

import socket

from perfproof.core.doctor import Finding

GROUP = "measuring"
SECONDS = 3.0


def probe() -> Finding:
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(SECONDS)
            with socket.create_connection(server.getsockname(), timeout=SECONDS) as caller:
                called, _ = server.accept()
                with called:
                    called.sendall(b"x")
                    heard = caller.recv(1)
    except OSError as error:
        why = f"127.0.0.1 does not answer: {error.strerror or error}"
        return Finding(name="loopback", state="denied", why=why, fix="sudo ip link set lo up")
    if heard != b"x":
        return Finding(
            name="loopback", state="denied", why="what was sent did not arrive", fix="sudo ip link set lo up"
        )
    return Finding(name="loopback", state="works", why="127.0.0.1 answers")
