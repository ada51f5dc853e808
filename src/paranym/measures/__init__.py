"""Measures of recodings: privacy and information loss, as pure functions of tallies of equivalence classes."""
