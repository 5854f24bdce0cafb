"""The data model: runs, series, samples, metrics, outcomes and diagnoses. Data only."""
