"""Rollouts: the models, how they decode and sample, and the log-probabilities of what was written."""
