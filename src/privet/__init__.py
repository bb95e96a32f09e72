"""Privet."""
