"""The filter language: which runs of a list are shown, and what would match where none is."""
