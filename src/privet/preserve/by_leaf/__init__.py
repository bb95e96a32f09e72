"""Leaf recoding: values by leaf.

`recode` is the way in. `conditions` says exactly when the same tree grows again (`contests`:
candidates against kept splits). `new_values`, `faults`, `local_search` and `solver` look for values
that meet them. `pieces` is the fallback, `refinement` gives detail back.
"""
