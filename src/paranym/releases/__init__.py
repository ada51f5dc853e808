"""Releases: planned, written aside, read back, put in place; later verified, and applied to other tables."""
