"""Builders and readers of hierarchies: files, rows, parallel columns, intervals, or the plain values."""
