"""The jump: from a few typed letters to a run, a chart, an entry of Learn, or a page."""
