"""Recognizers of columns by name and content: names of people, contacts, account numbers, free text."""
