"""From a Python function to a graph: staging and tracing."""
