"""The Launch page: a training before it starts, and a dry run of its settings."""
