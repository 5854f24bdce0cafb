"""Wording: the model's numbers, steps, states and findings in English, the same for terminal, page and report."""
