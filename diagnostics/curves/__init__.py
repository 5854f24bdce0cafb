"""Curves before they are drawn: which series, which of their points, on which scale, and what they say in words."""
