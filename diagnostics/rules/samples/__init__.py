"""Rules of samples: what the model wrote at the start of a run against what it writes now.

They live apart from the rules that judge series because they read texts from disk: what they may read is bounded in one
place (`tables`), what they measure in a text is pure (`texts`, `relations`), and each check is one file here.
"""
