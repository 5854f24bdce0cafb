"""Trackers that keep a database: trackio and MLflow."""
