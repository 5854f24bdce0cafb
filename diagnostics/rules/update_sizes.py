"""The metrics that say how far one update moves the policy, in nats per token."""

UPDATE_SIZES = ("approx_kl", "policy_kl")
"""The estimate that is never negative first: the other is a k1 estimate, with noise below 0."""
