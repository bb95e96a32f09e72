"""What is done at random, as plain data: laws of noise and transition matrices, with their samplers.

A method draws by them, and an attack or a reader of a release may know them. `grids` and
`noise_laws` serve the noise that follows a tree.
"""
