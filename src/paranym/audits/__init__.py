"""A table as it is: measured, and told in plain words."""
