"""The embedded engine, DuckDB: files, its own tables, and data frames."""
