"""The graph: types, sizes, nodes, builder, interpreter."""
