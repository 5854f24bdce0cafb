"""Channels: one way to tell somebody each. The text of a run is hostile; each channel makes it harmless for itself."""
