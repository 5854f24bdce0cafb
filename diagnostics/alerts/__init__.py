"""Alerts: what of a run is worth telling somebody, once per episode, and how it gets there."""
