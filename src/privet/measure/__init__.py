"""How much of a table is still there after a method: judged from outside, never by the method."""
