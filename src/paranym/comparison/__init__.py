"""Comparing recoding models on one table."""
