"""Results of other tools: one file is one tool, found by itself. Each says whether a JSON is its own, and reads it.

NAME            the tool
recognise(raw)  whether this parsed JSON is the tool's
read(raw)       perfproof.history.foreign.Foreign; a KeyError or the like is reported as a damaged file
"""
