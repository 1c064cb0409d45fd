"""One file = one bottleneck: `find(evidence)`. See perfproof/diagnose/__init__.py."""
