"""The version of Privet."""

__version__ = "0.2.0"
