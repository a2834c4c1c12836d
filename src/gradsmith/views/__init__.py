"""Ways to look at a graph: formulas and pictures."""
