"""Jupyter notebooks: the tables and printed rows that a training left in the outputs of its cells."""
