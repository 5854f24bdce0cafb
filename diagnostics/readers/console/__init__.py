"""What a trainer printed."""
