"""Downloads: a run's points, samples and report as files, over HTTP."""
