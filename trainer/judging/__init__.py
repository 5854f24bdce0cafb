"""Judging pairs of answers: judges, and what their verdicts come to."""
