"""Sampled completions that lie in files of their own."""
