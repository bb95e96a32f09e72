"""Tree-preserving publishing: recodings of the columns from which the same tree grows again."""
