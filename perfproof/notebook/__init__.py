"""The door for Python programs and notebooks: `perfproof.compare`, its progress line and its answer."""
