"""Ask the embedding service for every paragraph and rank the paragraphs."""

import asyncio

import numpy as np


class Service:
    def __init__(self, width=256):
        self.table = np.random.default_rng(0).standard_normal((5_000, width))

    async def embed(self, text):
        await asyncio.sleep(0.02)  # the network
        return self.table[[hash(word) % len(self.table) for word in text.split()]].mean(axis=0)


async def rank(service, paragraphs, question):
    wanted = await service.embed(question)
    scores = []
    for paragraph in paragraphs:
        vector = await service.embed(paragraph)
        scores.append(float(vector @ wanted))
    return np.argsort(scores)[::-1]


async def main():
    paragraphs = [" ".join(f"w{(i * j) % 977}" for j in range(120)) for i in range(350)]
    order = await rank(Service(), paragraphs, "w1 w2 w3")
    print(order[:5])


asyncio.run(main())
