"""Recodings in, assessments out: of nodes, of cuts, and of nodes against one fixed requirement."""
