"""Configurations: config files and model folders become a Setup."""
