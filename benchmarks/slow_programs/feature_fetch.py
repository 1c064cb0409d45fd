"""Score recommendation candidates with features pulled from a key-value store over TCP."""

import queue
import socket
import socketserver
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

DIM = 256
ROUND_TRIP = 0.012


class StoreHandler(socketserver.BaseRequestHandler):
    def handle(self):
        while True:
            head = self.request.recv(8)
            if len(head) < 8:
                return
            (key,) = struct.unpack("!q", head)
            time.sleep(ROUND_TRIP)
            row = np.random.default_rng(key).standard_normal(DIM, dtype=np.float32)
            self.request.sendall(row.tobytes())


class Store(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class FeatureClient:
    def __init__(self, address, connections):
        self.pool = queue.Queue()
        for _ in range(connections):
            self.pool.put(socket.create_connection(address))
        self.cache = {}
        self.lock = threading.Lock()

    def _read(self, key):
        conn = self.pool.get()
        try:
            conn.sendall(struct.pack("!q", key))
            buf = bytearray()
            while len(buf) < DIM * 4:
                buf += conn.recv(4096)
            return np.frombuffer(bytes(buf), dtype=np.float32)
        finally:
            self.pool.put(conn)

    def get(self, key):
        with self.lock:
            row = self.cache.get(key)
            if row is None:
                row = self._read(key)
                self.cache[key] = row
        return row


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Sequential(nn.Linear(DIM, 256), nn.ReLU(), nn.Linear(256, 128))
        self.item = nn.Sequential(nn.Linear(DIM, 256), nn.ReLU(), nn.Linear(256, 128))

    def forward(self, user, items):
        return self.item(items) @ self.user(user)


def handle_request(ranker, client, user, items):
    user_row = client.get(user)
    rows = np.stack([client.get(i) for i in items])
    with torch.inference_mode():
        scores = ranker(torch.from_numpy(user_row.copy()), torch.from_numpy(rows))
        return [items[j] for j in scores.topk(5).indices.tolist()]


def main(requests=320, workers=12):
    torch.manual_seed(0)
    server = Store(("127.0.0.1", 0), StoreHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = FeatureClient(server.server_address, connections=workers)
    ranker = Ranker().eval()
    rng = np.random.default_rng(3)
    jobs = [(1_000_000 + int(rng.integers(300)), (rng.zipf(1.3, 16) % 4000).tolist()) for _ in range(requests)]
    start = time.time()
    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(lambda job: handle_request(ranker, client, *job), jobs))
    took = time.time() - start
    print(f"{len(results)} requests, {len(client.cache)} keys, {took:.1f}s, {len(results) / took:.1f} rps")
    server.shutdown()


if __name__ == "__main__":
    main()
