"""Formatting for people: numbers, sizes and the terms of the report."""
