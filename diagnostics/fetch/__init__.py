"""Fetching runs from elsewhere: the W&B cloud, buckets and other machines."""
