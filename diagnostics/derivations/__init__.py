"""Derivations: metrics that a log does not hold, computed from those that it holds and from samples."""
