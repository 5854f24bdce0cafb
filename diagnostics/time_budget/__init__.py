"""The time budget: where the seconds of each step go, which part holds a run up, and what a step would take without."""
