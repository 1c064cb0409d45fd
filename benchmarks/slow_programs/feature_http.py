"""Online feature lookup over HTTP and a client that assembles inference inputs from it."""

import argparse
import http.client
import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

import numpy as np


class FeatureTable:
    def __init__(self, entities, dim, seed):
        rng = np.random.default_rng(seed)
        self.values = rng.normal(size=(entities, dim)).round(4)
        self.updated = rng.integers(1_700_000_000, 1_710_000_000, entities)

    def lookup(self, entity):
        return {
            "entity": entity,
            "updated": int(self.updated[entity]),
            "values": self.values[entity].tolist(),
        }


class FeatureHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "features/1.4"

    def respond(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urlparse(self.path)
        if url.path != "/v1/features":
            self.respond(404, {"error": "unknown path"})
            return
        try:
            entity = int(parse_qs(url.query)["entity"][0])
            self.respond(200, self.server.table.lookup(entity))
        except (KeyError, ValueError, IndexError) as error:
            self.respond(400, {"error": repr(error)})

    def log_message(self, format, *args):
        self.server.hits += 1


class FeatureServer(HTTPServer):
    def __init__(self, table):
        super().__init__(("127.0.0.1", 0), FeatureHandler)
        self.table = table
        self.hits = 0


class FeatureClient:
    """One persistent connection to the feature service."""

    def __init__(self, port, timeout=5.0):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def get(self, entity):
        self.connection.request("GET", f"/v1/features?entity={entity}")
        response = self.connection.getresponse()
        document = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(document["error"])
        return np.array(document["values"])

    def close(self):
        self.connection.close()


class ChurnModel:
    def __init__(self, dim, seed):
        rng = np.random.default_rng(seed)
        self.hidden = rng.normal(size=(dim, 64)) / np.sqrt(dim)
        self.out = rng.normal(size=64) / 8

    def score(self, features):
        return 1 / (1 + np.exp(-np.tanh(features @ self.hidden) @ self.out))


def score_stream(client, model, entities, report_every=100):
    scores, started = [], time.time()
    for number, entity in enumerate(entities, 1):
        scores.append(float(model.score(client.get(entity))))
        if number % report_every == 0:
            rate = number / (time.time() - started)
            print(f"{number} scored, mean {np.mean(scores):.4f}, {rate:.1f}/s")
    return scores


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--dim", type=int, default=48)
    args = parser.parse_args()

    server = FeatureServer(FeatureTable(args.entities, args.dim, seed=5))
    thread = threading.Thread(target=server.serve_forever, name="feature-server", daemon=True)
    thread.start()
    client = FeatureClient(server.server_port)
    rng = random.Random(1)
    entities = [rng.randrange(args.entities) for _ in range(args.requests)]
    scores = score_stream(client, ChurnModel(args.dim, seed=6), entities)
    client.close()
    server.shutdown()
    print("hits", server.hits, "at risk", sum(score > 0.6 for score in scores))


if __name__ == "__main__":
    main()
