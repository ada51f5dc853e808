"""Plots of fronts, audits and comparisons."""
