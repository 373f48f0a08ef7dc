"""Soak tests, run many times by hand before a release."""
