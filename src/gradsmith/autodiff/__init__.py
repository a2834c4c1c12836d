"""Derivatives as graph transformations: reverse and forward mode."""
