"""Metric logs with a step in each row, and logs that trainers write as plain files."""
