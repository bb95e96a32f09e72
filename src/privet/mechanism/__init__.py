"""What is done at random, as plain data: laws of noise, transition matrices, their samplers.

A method draws by them, and an attack or a reader of a release may know them. `grids`,
`noise_laws` and `class_laws` serve the noise that follows a tree; `domains`, `matrices`, `sampling`
and `substitution_file` serve random substitution.
"""
