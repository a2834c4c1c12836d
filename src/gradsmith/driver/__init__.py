"""The pipeline from a function to its emitted, compiled, cached code."""
