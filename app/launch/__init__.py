"""The Launch page: a training before it starts, and trying its settings."""
