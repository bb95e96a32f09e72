"""The version of Privet, said here alone.

>>> privet.__version__.count(".")
2
"""

__version__ = "0.2.0"
