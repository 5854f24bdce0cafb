"""Foreign code: what a training would execute, and whether this machine's user trusts it. Imports no torch."""
