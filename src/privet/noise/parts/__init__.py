"""The parts of noise that follows a tree: class, innocent and influential numbers, categories."""
