"""Producers: one file for each program whose logs and settings are understood; no file formats here."""
