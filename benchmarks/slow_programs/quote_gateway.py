"""Collects shipping quotes from several carriers for each order, on asyncio."""

import asyncio
import json
import random
import socket
import socketserver
import threading
import time

CARRIERS = ["north", "south", "swift", "cargo", "eagle", "metro"]
ORDERS = 72
WAVE = 6


class CarrierHandler(socketserver.StreamRequestHandler):
    """Stands in for the carriers' own servers."""

    def handle(self):
        query = json.loads(self.rfile.readline())
        time.sleep(0.03)
        base = 3.0 + 0.8 * query["weight"]
        factor = 0.9 + 0.05 * ((CARRIERS.index(query["carrier"]) + query["zone"]) % len(CARRIERS))
        reply = {"carrier": query["carrier"], "price": round(base * factor, 2), "days": 1 + query["zone"]}
        self.wfile.write(json.dumps(reply).encode() + b"\n")


class CarrierServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class CarrierClient:
    def __init__(self, address):
        self.address = address

    def _exchange(self, payload):
        with socket.create_connection(self.address, timeout=5) as connection:
            connection.sendall(json.dumps(payload).encode() + b"\n")
            with connection.makefile("rb") as stream:
                return json.loads(stream.readline())

    async def quote(self, carrier, order):
        payload = {"carrier": carrier, "weight": order["weight"], "zone": order["zone"]}
        reply = self._exchange(payload)
        return reply["carrier"], reply["price"], reply["days"]


class QuoteService:
    def __init__(self, client):
        self.client = client
        self.chosen = dict.fromkeys(CARRIERS, 0)

    def rank(self, quotes, urgent):
        penalty = 1.5 if urgent else 0.3
        return min(quotes, key=lambda q: q[1] + penalty * q[2])

    async def handle(self, order):
        quotes = await asyncio.gather(*(self.client.quote(name, order) for name in CARRIERS))
        winner = self.rank(quotes, order["urgent"])
        self.chosen[winner[0]] += 1
        return winner


def make_order(number, rng):
    return {
        "id": number,
        "weight": round(rng.uniform(0.2, 12.0), 2),
        "zone": rng.randint(1, 5),
        "urgent": rng.random() < 0.3,
    }


async def serve_orders(address):
    rng = random.Random(17)
    service = QuoteService(CarrierClient(address))
    spent = 0.0
    started = time.time()
    for first in range(0, ORDERS, WAVE):
        wave = [make_order(first + k, rng) for k in range(WAVE)]
        winners = await asyncio.gather(*(service.handle(order) for order in wave))
        spent += sum(price for _, price, _ in winners)
        done = first + WAVE
        print(f"orders {done:3d}  spend {spent:8.2f}  {done / (time.time() - started):.1f} orders/s", flush=True)
    return service.chosen


def main():
    server = CarrierServer(("127.0.0.1", 0), CarrierHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        chosen = asyncio.run(serve_orders(server.server_address))
    finally:
        server.shutdown()
        server.server_close()
    print("carriers used:", {name: count for name, count in chosen.items() if count})


if __name__ == "__main__":
    main()
