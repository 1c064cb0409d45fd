"""HTTP scoring service with one fraud model per merchant, and the hourly job that calls it."""

import functools
import http.client
import json
import os
import pathlib
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import torch
from torch import nn

FEATURES = 48
WIDTH = 1_024
MERCHANTS = 24
ROUNDS = 26
ROWS_PER_REQUEST = 4
MODEL_DIR = pathlib.Path(os.environ.get("MODEL_DIR", tempfile.gettempdir()))


class FraudModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(FEATURES, WIDTH),
            nn.ReLU(),
            nn.Linear(WIDTH, WIDTH),
            nn.ReLU(),
            nn.Linear(WIDTH, 1),
        )

    def forward(self, x):
        return torch.sigmoid(self.net(x)).squeeze(-1)


def publish_models(folder):
    torch.manual_seed(0)
    for merchant in range(MERCHANTS):
        torch.save(FraudModel().state_dict(), folder / f"merchant-{merchant:03d}.pt")


@functools.lru_cache(maxsize=16)
def model_for(merchant):
    model = FraudModel()
    state = torch.load(MODEL_DIR / f"{merchant}.pt", weights_only=True)
    model.load_state_dict(state)
    return model.eval()


@torch.inference_mode()
def score(merchant, rows):
    return model_for(merchant)(torch.tensor(rows, dtype=torch.float32)).tolist()


class ScoringHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        try:
            answer, status = {"scores": score(request["merchant"], request["rows"])}, 200
        except FileNotFoundError:
            answer, status = {"error": "unknown merchant"}, 404
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format, *args):
        pass


class ScoringClient:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)

    def score(self, merchant, rows):
        body = json.dumps({"merchant": merchant, "rows": rows})
        self.connection.request("POST", "/score", body, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(answer["error"])
        return answer["scores"]

    def close(self):
        self.connection.close()


class HourlyJob:
    """Scores the latest transactions of every merchant, again and again."""

    def __init__(self, client):
        self.client = client
        self.rng = np.random.default_rng(0)
        self.alerts = 0
        self.scored = 0

    def transactions(self):
        return self.rng.normal(size=(ROWS_PER_REQUEST, FEATURES)).round(4).tolist()

    def run_once(self):
        for number in range(MERCHANTS):
            scores = self.client.score(f"merchant-{number:03d}", self.transactions())
            self.alerts += sum(s > 0.52 for s in scores)
            self.scored += len(scores)


def start_server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), ScoringHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    global MODEL_DIR
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="merchants_") as name:
        MODEL_DIR = pathlib.Path(name)
        publish_models(MODEL_DIR)
        server = start_server()
        client = ScoringClient(server.server_address[1])
        job = HourlyJob(client)
        begin = time.perf_counter()
        for number in range(ROUNDS):
            job.run_once()
            if number % 10 == 9:
                print(f"round {number + 1}: {job.scored} scored, {job.alerts} alerts")
        elapsed = time.perf_counter() - begin
        print(f"{ROUNDS * MERCHANTS / elapsed:.0f} requests/s over {elapsed:.1f} s")
        client.close()
        server.shutdown()


if __name__ == "__main__":
    main()
