"""Attacks: what somebody learns who sees only what was released, and knows what is stated.

One file an attack. An attack never imports a method: it is given a released table and the
knowledge of the attacker, and its guesses are scored against the truth afterwards.
"""
