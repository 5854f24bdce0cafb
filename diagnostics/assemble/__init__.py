"""Assembly: the recordings of one training become a Run."""
