"""Wording: the model's numbers, steps, states and findings in words, the same for terminal, page and report."""
