"""Schemas of files that paranym saved and reads again: fronts, recodings, manifests."""
