"""Searches of the lattice of nodes for the Pareto front."""
