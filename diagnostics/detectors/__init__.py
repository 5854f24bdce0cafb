"""Detectors: pure functions from arrays to arrays, without any knowledge of runs or rules."""
