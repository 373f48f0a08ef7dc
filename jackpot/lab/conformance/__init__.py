"""Conformance tests of the floor protocol for third-party devices and servers."""
