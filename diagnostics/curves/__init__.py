"""What a chart draws: which series, which of their points, on which scale, with which limits."""
