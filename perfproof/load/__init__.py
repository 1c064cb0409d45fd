"""Load tests of OpenAI-style servers: who arrives when, what is sent, what came back, and what may be said about it.

Times are seconds of one monotonic clock. A latency begins at the intended arrival of its request, never at the moment
the client found time to send it.
"""
