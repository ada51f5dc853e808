"""Audits: privacy and risk of a table as it is, and the findings in plain words."""
