"""Searches for the nodes that meet one fixed requirement: Incognito and comparable algorithms."""
