"""Acceleration: layers, decoding, packing and processes that give the same results faster; all of it optional."""
