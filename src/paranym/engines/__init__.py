"""Engines hold the rows. An engine profiles, counts and rewrites a table; only codes and labels leave it."""
