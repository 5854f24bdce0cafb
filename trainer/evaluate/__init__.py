"""Evaluation: answers to held-out prompts during training, and win rates after it."""
