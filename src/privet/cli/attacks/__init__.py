"""The commands of `privet attack`, one module for each; `privet.cli.attack` gathers them."""
