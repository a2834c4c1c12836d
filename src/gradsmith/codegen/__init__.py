"""From a graph to NumPy source, and from source to a callable."""
