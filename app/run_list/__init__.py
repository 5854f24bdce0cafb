"""The list of runs: what is kept of each, their order, and the counts by which one chooses; all pure but `kept`."""
