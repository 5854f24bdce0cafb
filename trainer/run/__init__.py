"""A running training: device, journal, checkpoints, samples, histograms, sinks, and what ended it."""
