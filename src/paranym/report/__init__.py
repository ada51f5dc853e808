"""Reports on a chosen solution or a release: measured on the tables and the front, and written as a page."""
