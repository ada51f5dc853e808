"""The words of the domain as immutable values."""
