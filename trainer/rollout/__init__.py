"""Rollouts: models, decoding, sampling, and the log-probabilities of completions."""
