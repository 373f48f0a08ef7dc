"""Which release is this? One server for all the linked progressives of a casino floor."""

__version__ = "0.1.0"
