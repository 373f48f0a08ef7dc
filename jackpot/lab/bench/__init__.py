"""Benchmark of the server, other designs and this machine's own limits, in one run."""
