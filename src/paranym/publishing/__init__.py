"""Decisions before anything is written: the plan of a publication, the roles of columns, and the gate."""
