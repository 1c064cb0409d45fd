"""Use cases of `perfproof load`: test a server, search its highest rate within an SLO, compare two servers.

The folder of a test holds load.json (the result), requests.jsonl (every request) and load.html.
"""
