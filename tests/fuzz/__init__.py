"""Privet against broken and hostile files: `make fuzz`.

`originals` makes one good file of every kind, `odd_tables` strange ones; `mutations` spoils a file,
byte by byte or knowing its structure; `cases` says which commands read it; `judge` runs a command
in a child process with bounds and says whether it ended as it should; `campaign` draws and counts.
`__main__` does that for as long as it is told.
"""
