"""The command line: `main` gathers the commands, each in a file of its own name; `options` holds
what they share. Heavy libraries are imported inside the commands, so that help comes at once."""
