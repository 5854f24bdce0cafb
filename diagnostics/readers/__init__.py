"""Readers: file formats into recordings of raw tags and values, a folder for each family of formats."""
