"""One server for all the linked progressives of a casino floor, and its release."""

__version__ = "0.1.0"
