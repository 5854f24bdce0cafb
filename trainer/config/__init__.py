"""Configurations: every option of a training as data; no torch here."""
