"""The forms in which miners print numbers and labels of a column, one module a family.

`page` holds a text and what was read of it; `spellings` knows how names are written, `surroundings`
what may stand around a condition, `numbers` how roughly a number was printed. `conditions` reads
tests and intervals, `labels` categories, `tables` what WEKA prints in columns, `formulas` linear
and logistic models, `mentions` places where a name stands alone. `privet.parties.decode_printed`
lets them all read a text.
"""
