"""Incognito (LeFevre, DeWitt, Ramakrishnan: SIGMOD 2005): all nodes that meet a requirement, by growing families."""
