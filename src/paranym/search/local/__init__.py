"""Local recoding: algorithms that gather tuples into groups, each of which is published by its own values."""
