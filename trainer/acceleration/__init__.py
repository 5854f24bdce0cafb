"""Acceleration: faster layers, decoding, packing and multi-process training with the same results; all optional."""
