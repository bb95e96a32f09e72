"""The page for the person with the table: `privet studio`, a server for this machine alone.

`server` starts and ends it, `door` says who may come in, `application` has its addresses. What a
person chose in a tab of the browser is in `tabs` and `choices`, what takes long runs in a process
of its own (`jobs`, `work`). Everything that is done is a public call of Privet, and `spoken` shows
that call as a command line and as Python.
"""
