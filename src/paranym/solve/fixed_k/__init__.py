"""Generalizations that meet a fixed k: the request, the search, the ranking."""
