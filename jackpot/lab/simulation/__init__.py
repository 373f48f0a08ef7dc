"""Simulation of a floor without sockets or clocks: seeded dealing, and the real engine."""
