"""Logs that lie elsewhere: copied into the user's cache as they are asked for, and followed as they grow."""
