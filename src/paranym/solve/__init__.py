"""Names resolved to searches, searches run: one kind of question per file."""
