"""rlvitals' diagnostics: readers, canonical metrics, rules, causes and reports for RL post-training runs."""
