"""The searches: each takes a lattice and a way to evaluate nodes, and yields steps."""
