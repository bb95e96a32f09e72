"""The version of Privet."""

__version__ = "0.1.0"
