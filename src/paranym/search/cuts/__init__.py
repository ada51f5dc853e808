"""Searches over cuts of the hierarchies."""
