"""Generates documents: reference pages from the catalogues, the architecture drawing from the imports."""
