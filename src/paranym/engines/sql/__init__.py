"""Queries as SQL trees, built once and written in each dialect."""
