"""The generated documents: reference pages from the catalogues, the drawing of the house from its imports."""
