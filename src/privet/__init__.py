"""Privet: publish a table together with its decision tree; the same tree grows again from it."""

__version__ = "0.1.0"
