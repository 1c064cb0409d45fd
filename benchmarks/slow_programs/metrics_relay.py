"""Relay that forwards metric samples to a collector over a framed TCP protocol."""

import json
import random
import socket
import struct
import threading
import time
import zlib

HEADER = struct.Struct("!IIB")  # length, checksum, kind
KIND_SAMPLE, KIND_ACK = 1, 2


def read_exact(sock, n):
    parts = []
    while n:
        data = sock.recv(n)
        if not data:
            raise ConnectionError("peer closed")
        parts.append(data)
        n -= len(data)
    return b"".join(parts)


def read_frame(sock):
    length, checksum, kind = HEADER.unpack(read_exact(sock, HEADER.size))
    body = read_exact(sock, length)
    if zlib.crc32(body) != checksum:
        raise ValueError("corrupt frame")
    return kind, json.loads(body)


def write_frame(sock, kind, message):
    body = json.dumps(message, separators=(",", ":")).encode()
    sock.sendall(HEADER.pack(len(body), zlib.crc32(body), kind))
    sock.sendall(body)


class Collector:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.series = {}
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            conn, _ = self.listener.accept()
            threading.Thread(target=self.handle, args=(conn,), daemon=True).start()

    def handle(self, conn):
        with conn:
            try:
                while True:
                    _, sample = read_frame(conn)
                    points = self.series.setdefault(sample["name"], [])
                    points.append((sample["t"], sample["value"]))
                    write_frame(conn, KIND_ACK, {"seq": sample["seq"], "stored": len(points)})
            except ConnectionError:
                pass


class Relay:
    def __init__(self, address):
        self.sock = socket.create_connection(address)
        self.seq = 0

    def push(self, name, t, value):
        self.seq += 1
        write_frame(self.sock, KIND_SAMPLE, {"seq": self.seq, "name": name, "t": t, "value": value})
        kind, ack = read_frame(self.sock)
        assert kind == KIND_ACK and ack["seq"] == self.seq
        return ack["stored"]

    def close(self):
        self.sock.close()


class Host:
    """Produces smoothed load figures like an agent on a machine would."""

    def __init__(self, name, seed):
        self.name = name
        self.rng = random.Random(seed)
        self.level = 0.5

    def read(self):
        raw = [min(max(self.rng.gauss(self.level, 0.1), 0), 1) for _ in range(200)]
        self.level = 0.9 * self.level + 0.1 * sum(raw) / len(raw)
        raw.sort()
        return {"load": self.level, "p95": raw[190]}


def main(rounds=14):
    collector = Collector()
    relay = Relay(collector.address)
    hosts = [Host(f"node{i}", i) for i in range(4)]
    t0 = time.perf_counter()
    sent = 0
    for r in range(rounds):
        for host in hosts:
            for metric, value in host.read().items():
                relay.push(f"{host.name}.{metric}", r, round(value, 5))
                sent += 1
        print(f"round {r:2d}: {sent} samples, {sent / (time.perf_counter() - t0):.1f}/s")
    relay.close()
    print(len(collector.series), "series stored")


if __name__ == "__main__":
    main()
