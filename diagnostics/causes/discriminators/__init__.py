"""Discriminators: what tells one cause from another that explains the same findings."""
