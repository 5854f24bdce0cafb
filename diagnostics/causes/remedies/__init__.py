"""Remedies: the settings that a cause suggests changing, to what, and why."""
