"""Searches for the nodes that meet one fixed requirement: the peers of Incognito, and what they all share."""
