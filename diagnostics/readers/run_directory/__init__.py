"""rlvitals' own run directories."""
