"""Printing results to the terminal."""
