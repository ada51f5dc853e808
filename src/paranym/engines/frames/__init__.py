"""Data frames of other libraries."""
