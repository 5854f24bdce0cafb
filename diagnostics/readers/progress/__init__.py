"""Lines of progress that a trainer of one's own printed: a step, then names with numbers, in whatever form."""
