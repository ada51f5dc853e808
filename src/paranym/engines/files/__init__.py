"""Files as engines read them: CSV, workbooks, standard input, and the scratch folders they need."""
