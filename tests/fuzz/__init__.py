"""Privet against broken and hostile files: `make fuzz`.

`originals` makes one good file of every kind; `mutations` spoils it, byte by byte or knowing its
structure; `cases` says which commands read it; `judge` runs a command in a child process with
bounds and says whether it ended as it should. `__main__` does that for as long as it is told.
"""
