"""Compiled loops: arrays in, arrays out, nothing checked."""
