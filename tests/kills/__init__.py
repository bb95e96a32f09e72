"""Commands that are killed while they write: `make kills`.

`home` makes the files that commands read; `writers` says how every command is asked to write;
`trial` starts one, ends it at some moment and looks at what is there; `campaign` draws and counts.
"""
