"""Where rows live. An engine profiles a table, counts it, and rewrites it; only small integers and labels cross."""
