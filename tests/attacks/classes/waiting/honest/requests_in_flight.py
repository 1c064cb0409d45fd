"""Send all requests before the first answer is awaited.

Honest: waiting is the lesson, and what is waited for is real: a thread that reads from a socket and answers. It is
joined in the call.
"""

import socket
import struct
import threading

import torch

workload = workload_cpu = dict(requests=32)
smoke = dict(requests=3)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"
clock = "latency"


def inputs(requests):
    return (torch.randint(30_000, (requests,)).tolist(),)


def reference(numbers):
    return [number * number for number in numbers]


def serve(end, requests):
    for _ in range(requests):
        (number,) = struct.unpack("q", end.recv(8, socket.MSG_WAITALL))
        end.sendall(struct.pack("q", number * number))


def with_server(numbers, talk):
    near, far = socket.socketpair()
    with near, far:
        server = threading.Thread(target=serve, args=(far, len(numbers)))
        server.start()
        answers = talk(near, numbers)
        server.join()
    return answers


def receive(end):
    return struct.unpack("q", end.recv(8, socket.MSG_WAITALL))[0]


def one_by_one(end, numbers):
    answers = []
    for number in numbers:
        end.sendall(struct.pack("q", number))
        answers.append(receive(end))
    return answers


def all_at_once(end, numbers):
    end.sendall(struct.pack(f"{len(numbers)}q", *numbers))
    return [receive(end) for _ in numbers]


def baseline(numbers):
    return with_server(numbers, one_by_one)


def optimized(numbers):
    return with_server(numbers, all_at_once)


def cost(requests):
    return dict(predicted_optimized=2.0)
