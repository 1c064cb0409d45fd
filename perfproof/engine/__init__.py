"""A reference inference engine: paged cache, continuous batching, speculation, quantised weights, and a server."""
