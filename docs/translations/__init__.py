"""Translations: finds every text that a user reads, and keeps the files in which it is translated."""
