"""A training as it runs: device, journal, checkpoints, samples, histograms, sinks, and what ended it."""
