"""Where hierarchies come from: files, rows, parallel columns, intervals, or nothing but the values themselves."""
