"""A worker's loop: answer one command after the other, and say with each answer what was found to be replaced."""

import socket
import sys
from typing import Any

from perfproof.worker.channel import Channel, ChannelClosed
from perfproof.worker.raised import one_line, told
from perfproof.worker.target import Target
from perfproof.worker.verify.guard import Guard
from perfproof.worker.verify.intruders import listen

WHEN = {"open": "on import", "verify": "while it was verified", "check": "while it was timed"}


def serve(connection: socket.socket, request: dict[str, str], guard: Guard) -> int:
    """Answer until the run is done. What is used here is bound before a pair is loaded: it replaces nothing of it.

    `guard` remembers the names as the warm parent had them: making one takes longer than the fork.
    """
    channel, heard = Channel(connection, bytes.fromhex(request["key"])), listen()
    target, look, tell, when = Target(guard), guard.look, _tell, WHEN
    intrusions: dict[str, str] = {}
    while True:
        try:
            message = channel.receive()
        except ChannelClosed:
            return 1
        command = message.pop("command")
        if command == "close":
            target.close()
            return 0
        try:
            reply = getattr(target, command)(**message)
        except BaseException as error:
            sys.stderr.write(told(error))
            sys.stderr.flush()
            reply = {"failed": one_line(error)}
        for name in [] if command == "run" else look() + heard:
            intrusions.setdefault(name, when.get(command, "meanwhile"))
        channel.send(tell(command, reply, intrusions))


def _tell(command: str, reply: dict[str, Any], intrusions: dict[str, str]) -> dict[str, Any]:
    """The reply with what was found of replaced names, before all else that it says."""
    found = ", ".join(f"{name} {when}" for name, when in list(intrusions.items())[:4])
    detail = f"{found}: leave other code alone" if found else ""
    if "checks" in reply:
        check = {"name": "nothing patched", "result": "fail" if detail else "pass", "detail": detail}
        return {**reply, "checks": [check, *reply["checks"]]}
    return {"failed": detail} if detail and command in ("memory", "startup") else reply
