"""Local recoding: algorithms that partition tuples into groups, each of which is published with values of its own."""
