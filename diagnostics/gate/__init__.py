"""The gate: whether candidate runs are worse than a baseline, by budgets with intervals over seeds; for CI."""
