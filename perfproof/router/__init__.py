"""A router in front of several workers: where a request goes, what happens if a worker fails, and what is refused."""
